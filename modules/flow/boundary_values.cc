#include "flow/boundary_values.h"

#include "expressions/expressions.h"
#include "flow/boundary_nodes.h"
#include "flow/flow_functors.h"
#include "frame/parameters/mesh_input.h"

#include <algorithm>

namespace adamant
{
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
  const auto        of_node  = list_nodes(expressions, natural, space);
  const std::size_t n_listed = listed.size();
  list                       = List<int>(device, Array<int>(listed.begin(), listed.end()));
  chosen                     = Vector<double>(device, static_cast<int>(dim * n_listed));

  std::vector<Array<int>> role(expressions.size() + 1, Array<int>(n_listed, 0));
  for (std::size_t i = 0; i < n_listed; ++i)
    {
      const unsigned int first = *std::min_element(of_node[i].begin(), of_node[i].end());
      for (const unsigned int k : of_node[i])
        role[k][i] = std::max(role[k][i], k == first ? 2 : 1);
    }
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

// Fills `listed`; returns the candidates of each of these nodes, in the order of boundary ids.
template <int dim>
std::vector<std::vector<unsigned int>>
BoundaryValues<dim>::list_nodes(const std::map<unsigned int, std::string> &expressions,
                                const std::set<unsigned int> &natural, const LevelSpace<dim> &space)
{
  std::map<unsigned int, unsigned int> candidate_of; // others: 0
  for (const auto &entry : expressions)
    candidate_of.emplace(entry.first, candidate_of.size() + 1);
  std::map<int, std::vector<unsigned int>> of_node;
  for (const auto id : space.triangulation().get_boundary_ids())
    if (natural.count(id) == 0)
      for (const int i : nodes_on_boundary(space, id))
        if (space.is_free(i))
          of_node[i].push_back(candidate_of.count(id) > 0 ? candidate_of[id] : 0);
  std::vector<std::vector<unsigned int>> in_order;
  for (const auto &[node, of_this] : of_node)
    {
      listed.push_back(node);
      in_order.push_back(of_this);
    }
  return in_order;
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

template class BoundaryValues<2>;
template class BoundaryValues<3>;
} // namespace adamant
