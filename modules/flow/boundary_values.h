#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "coefficients/values_at_points.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functors.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Returns a rank's own DoFs of a space on a boundary, ascending: of a scalar space nodes. All ranks call it together.
template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id);

/// Returns the matrix that applies A to each of n components. Its vectors hold the owned values of one component after
/// the other. All ranks call it together.
CSRMatrix<double> by_components(const CSRMatrix<double> &A, int n_components);

/// The flux through a boundary: `net` is ∫ u·n, `scale` the integral of |u|, to compare with.
struct BoundaryFlux
{
  double net, scale;
};

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

  /// Computes the values at time t.
  void evaluate(double t);

  const Vector<double> &values() const { return chosen; } ///< all components, at the time of the last evaluate()
  /// Puts the values into a field's nodal values.
  void apply(Vector<double> &u) const;

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

/// The free nodes of a scalar space on boundaries with free slip, on a device. A field of dim components, stored one
/// after the other, loses there what is normal to these boundaries.
template <int dim>
class SlipNodes
{
public:
  /// `prescribed` are nodes that are left out. Throws InputError with `key` where a boundary has an edge. All ranks
  /// call it together.
  SlipNodes(const Device &device, const std::string &key, const std::set<unsigned int> &boundaries,
            const LevelSpace<dim> &space, const std::vector<int> &prescribed);

  void apply(Vector<double> &u) const { device.for_each(nodes.size(), projection(u)); }

private:
  ProjectAtNodes<dim> projection(Vector<double> &u) const { return {n, nodes.data(), projections.data(), u.data()}; }

  Device       device;
  long         n; // the space's own nodes
  List<int>    nodes;
  List<double> projections;
};

/// The hanging nodes of a scalar space on a device. The class makes fields of several components, stored one after the
/// other, continuous there.
template <int dim>
class HangingNodes
{
public:
  /// All ranks call it together.
  HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components);

  /// Sets u = H u at the hanging nodes, for all components. All ranks call it together, or record it in graphs.
  void apply(Vector<double> &u);

private:
  Device         device;
  int            n_components;
  long           n;    // the space's own nodes
  bool           none; // whether no rank has hanging nodes
  List<int>      nodes;
  Matrix<double> rows;
  Vector<double> values;
};
} // namespace adamant
