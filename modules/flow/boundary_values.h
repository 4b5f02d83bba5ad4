#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "expressions/values_at_points.h"
#include "fem/spaces/level_space.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Returns a rank's own nodes of a scalar space on a boundary, ascending. All ranks call it together.
template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id);

/// Which boundary's value a node takes where boundaries meet.
enum class AtEdges
{
  shortest, ///< the shortest vector: a moving lid does not leak, as the wall is at rest
  longest
};

/// The prescribed values of a field of dim components on the boundaries of a mesh, from expressions by boundary id.
/// They belong to the free nodes of a scalar space on these boundaries; components are stored one after the other.
template <int dim>
class BoundaryValues
{
public:
  /// Boundaries without an expression have the value zero, boundaries in `natural` none. `points` are the positions of
  /// the space's own nodes, coordinate d of node i in points[d n + i]. Throws InputError with `key` for a mistake in an
  /// expression, and for a boundary that the mesh does not have. All ranks call it together.
  BoundaryValues(const Device &device, const std::string &key, const std::map<unsigned int, std::string> &expressions,
                 const std::set<unsigned int> &natural, AtEdges at_edges, const LevelSpace<dim> &space,
                 const Array<double> &points);

  const std::vector<int> &nodes() const { return listed; }   ///< this rank's listed nodes, ascending
  bool                    varies() const { return in_time; } ///< whether an expression depends on t

  void                  evaluate(double t);               ///< computes the values at time t
  const Vector<double> &values() const { return chosen; } ///< all components, at the time of the last evaluate()
  void                  apply(Vector<double> &u) const;   ///< puts the values into a field's nodal values

private:
  // The values of some boundaries at all listed nodes.
  struct Candidate
  {
    PointFunction  function; // null: zero
    List<int>      role;     // see ChooseCandidate
    Vector<double> value;
  };

  Device                 device;
  AtEdges                at_edges;
  long                   n; // the space's own nodes
  bool                   in_time = false;
  std::vector<int>       listed;
  List<int>              list;
  Vector<double>         chosen;
  std::vector<Candidate> candidates; // the first candidate is zero
};
} // namespace adamant
