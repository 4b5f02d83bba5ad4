#include "flow/boundary_values.h"

#include "expressions/expressions.h"
#include "flow/flow_functors.h"
#include "frame/parameters/mesh_input.h"

#include <deal.II/dofs/dof_tools.h>

#include <iterator>

namespace adamant
{
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

template <int dim>
BoundaryValues<dim>::BoundaryValues(const Device &device, const std::string &key,
                                    const std::map<unsigned int, std::string> &expressions,
                                    const std::set<unsigned int> &natural, AtEdges at_edges,
                                    const LevelSpace<dim> &space, const Array<double> &points)
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

template <int dim>
void BoundaryValues<dim>::evaluate(double t)
{
  for (auto &candidate : candidates)
    {
      if (candidate.function)
        candidate.function(t, candidate.value);
      device.for_each(list.size(), ChooseCandidate{dim, list.size(), at_edges == AtEdges::shortest,
                                                   candidate.role.data(), candidate.value.data(), chosen.data()});
    }
}

template <int dim>
void BoundaryValues<dim>::apply(Vector<double> &u) const
{
  device.for_each(list.size(), SetAtNodes{dim, list.size(), n, list.data(), chosen.data(), u.data()});
}

template std::vector<int> nodes_on_boundary(const LevelSpace<2> &, dealii::types::boundary_id);
template std::vector<int> nodes_on_boundary(const LevelSpace<3> &, dealii::types::boundary_id);
template class BoundaryValues<2>;
template class BoundaryValues<3>;
} // namespace adamant
