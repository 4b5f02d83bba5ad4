#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "expressions/expressions.h"
#include "expressions/values_at_points.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functors.h"
#include "frame/parameters/mesh_input.h"

#include <deal.II/dofs/dof_tools.h>

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Returns a rank's own DoFs of a space on a boundary, ascending; of a scalar space they are nodes. All ranks call it together.
template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  const auto      &numbers = space.partition();
  std::vector<int> nodes;
  for (const auto i : dealii::DoFTools::extract_boundary_dofs(space.dof_handler(), dealii::ComponentMask(), {id}))
    if (numbers.in_local_range(i))
      nodes.push_back(static_cast<int>(numbers.global_to_local(i)));
  return nodes;
}

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
                 const Array<double> &points)
    : device(device)
    , at_edges(at_edges)
    , n(space.n_owned())
  {
    std::set<unsigned int> ids;
    for (const auto &entry : expressions)
      ids.insert(entry.first);
    check_boundaries(key, ids, space.triangulation());
    std::map<int, std::set<std::size_t>> of_node; // candidates of each listed node, in the order of boundary ids
    for (const auto id : space.triangulation().get_boundary_ids())
      if (const auto found = ids.find(id); natural.count(id) == 0)
        for (const int i : nodes_on_boundary(space, id))
          if (space.is_free(i))
            of_node[i].insert(found == ids.end() ? 0 : 1 + std::distance(ids.begin(), found));
    const std::size_t       n_listed = of_node.size();
    std::vector<Array<int>> role(expressions.size() + 1, Array<int>(n_listed, 0));
    for (const auto &[node, of_this] : of_node)
      {
        for (const std::size_t k : of_this)
          role[k][listed.size()] = k == *of_this.begin() ? 2 : 1;
        listed.push_back(node);
      }
    list   = List<int>(device, Array<int>(listed.begin(), listed.end()));
    chosen = Vector<double>(device, static_cast<int>(dim * n_listed));
    for (const auto &values : role)
      candidates.push_back({nullptr, List<int>(device, values), Vector<double>(device, chosen.size())});
    Array<double> at_boundary(dim * n_listed);
    for (std::size_t i = 0; i < at_boundary.size(); ++i)
      at_boundary[i] = points[i / n_listed * n + listed[i % n_listed]];
    std::size_t k = 0;
    for (const auto &[id, text] : expressions)
      {
        in_time                  = in_time || depends_on_time(text);
        candidates[++k].function = function_at_points<dim>(device, key, text, dim, at_boundary);
      }
  }

  const std::vector<int> &nodes() const { return listed; }   ///< this rank's listed nodes, ascending
  bool                    varies() const { return in_time; } ///< whether an expression depends on t

  /// Computes the values at time t.
  void evaluate(double t)
  {
    for (auto &candidate : candidates)
      {
        if (candidate.function)
          candidate.function(t, candidate.value);
        device.for_each(list.size(), ChooseCandidate{dim, list.size(), at_edges == AtEdges::shortest,
                                                     candidate.role.data(), candidate.value.data(), chosen.data()});
      }
  }

  const Vector<double> &values() const { return chosen; } ///< all components, at the time of the last evaluate()
  /// Puts the values into a field's nodal values.
  void apply(Vector<double> &u) const
  {
    device.for_each(list.size(), SetAtNodes{dim, list.size(), n, list.data(), chosen.data(), u.data()});
  }

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
