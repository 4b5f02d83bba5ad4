#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "expressions/point_function.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Where boundaries meet, a node takes one of their values.
enum class AtEdges
{
  shortest, ///< vector: a moving lid does not leak, as the wall is at rest
  longest
};

/// The prescribed values of a field of dim components on the boundaries of a mesh, as expressions give them by
/// boundary id: at the free nodes of a scalar space there, where the components are stored one after the other.
template <int dim>
class BoundaryValues
{
public:
  /// Boundaries without an expression have the value zero, those in `natural` none. `points` are the positions of the
  /// space's own nodes, coordinate d of node i in points[d n + i]. Throws InputError with `key` for a mistake in an
  /// expression, and for a boundary that the mesh does not have. All ranks call it together.
  BoundaryValues(const Device &device, const std::string &key, const std::map<unsigned int, std::string> &expressions,
                 const std::set<unsigned int> &natural, AtEdges at_edges, const LevelSpace<dim> &space,
                 const Array<double> &points);

  const std::vector<int> &nodes() const { return listed; }   ///< this rank's, ascending
  bool                    varies() const { return in_time; } ///< whether an expression has t in it

  void                  evaluate(double t);               ///< at time t
  const Vector<double> &values() const { return chosen; } ///< of all components, at the last such time
  void                  apply(Vector<double> &u) const;   ///< puts them into a field's nodal values

private:
  // Of some boundaries at all listed nodes.
  struct Candidate
  {
    PointFunction  function; // none: zero
    List<int>      role;     // as ChooseCandidate has it
    Vector<double> value;
  };
  std::vector<std::vector<unsigned int>> list_nodes(const std::map<unsigned int, std::string> &expressions,
                                                    const std::set<unsigned int>              &natural,
                                                    const LevelSpace<dim>                     &space);

  Device                 device;
  AtEdges                at_edges;
  long                   n; // the space's own nodes
  bool                   in_time = false;
  std::vector<int>       listed;
  List<int>              list;
  Vector<double>         chosen;
  std::vector<Candidate> candidates; // the first is zero
};
} // namespace adamant
