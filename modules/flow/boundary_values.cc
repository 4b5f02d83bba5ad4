#include "flow/boundary_values.h"

#include "base/csr/csr_operations.h"
#include "base/exchange_plan.h"
#include "expressions/expressions.h"
#include "fem/ranks/distributed_rows.h"
#include "flow/flow_functors.h"
#include "flow/hanging_vertices.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
using Number = dealii::types::global_dof_index;

// The columns of a matrix for each component, ghosts by the global numbers of their owner's vector of all components.
std::shared_ptr<const ExchangePlan> plan_of_components(const ExchangePlan &plan, int n_components, Array<int> &columns)
{
  const std::uint64_t               n = plan.n_owned;
  std::vector<Number>               ghosts;
  std::vector<Array<std::uint64_t>> numbers;
  for (int c = 0; c < n_components; ++c)
    {
      Array<std::uint64_t> own(n);
      std::iota(own.begin(), own.end(), n_components * plan.first_owned + c * n);
      numbers.push_back(with_ghosts(plan, std::move(own)));
      ghosts.insert(ghosts.end(), numbers[c].begin() + n, numbers[c].end());
    }
  const MPI_Comm comm      = plan.communicator.handle();
  const auto     partition = make_partitioner(owned_range(n_components * n, comm), std::move(ghosts), comm);
  for (const auto &list : numbers)
    for (const auto number : list)
      columns.push_back(static_cast<int>(partition->global_to_local(static_cast<Number>(number))));
  return exchange_plan(*partition);
}
} // namespace

CSRMatrix<double> by_components(const CSRMatrix<double> &A, int n_components)
{
  Array<int> columns; // of column j of component c: number c n_cols + j
  const auto plan   = A.ghosts ? plan_of_components(*A.ghosts, n_components, columns) : nullptr;
  const int  n_cols = plan ? static_cast<int>(columns.size()) : n_components * A.n_cols;
  auto       blocks = matrix_of_rows(n_components * A.n_rows, n_cols, [&](int i, Row &entries) {
    const int row = i % A.n_rows, first = i / A.n_rows * A.n_cols;
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      entries.emplace_back(plan ? columns[first + A.column[k]] : first + A.column[k], A.value[k]);
  });
  blocks.ghosts     = plan;
  return blocks;
}

template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id)
{
  const auto       on_boundary = space.on_boundary(id);
  std::vector<int> nodes;
  for (int i = 0; i < space.n_owned(); ++i)
    if (on_boundary[i] != 0)
      nodes.push_back(i);
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
  for (const auto id : boundary_ids(space.triangulation()))
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

template <int dim>
SlipNodes<dim>::SlipNodes(const Device &device, const std::string &key, const std::set<unsigned int> &boundaries,
                          const LevelSpace<dim> &space, const std::vector<int> &prescribed)
  : device(device)
  , n(space.n_owned())
{
  check_boundaries(key, boundaries, space.triangulation());
  std::vector<std::array<Array<double>, dim>> normals;
  for (const auto id : boundaries)
    {
      check_edges(key, space.triangulation(), id);
      normals.push_back(space.nodal_normals(id));
    }
  Array<int>    listed;
  Array<double> P;
  for (int node = 0; node < space.n_owned(); ++node)
    {
      auto directions = directions_at<dim>(node, normals);
      if (directions.empty() || !space.is_free(node) || std::binary_search(prescribed.begin(), prescribed.end(), node))
        continue;
      dealii::Tensor<2, dim> projection = dealii::unit_symmetric_tensor<dim>();
      for (auto &direction : directions)
        if (const auto rest = projection * direction; rest.norm() > 1e-6 * direction.norm())
          projection -= outer_product(rest, rest) / rest.norm_square();
      listed.push_back(node);
      for (int c = 0; c < dim; ++c)
        for (int d = 0; d < dim; ++d)
          P.push_back(projection[c][d]);
    }
  nodes       = List<int>(device, listed);
  projections = List<double>(device, P);
}

template <int dim>
HangingNodes<dim>::HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components)
  : device(device)
  , n_components(n_components)
  , n(space.n_owned())
  , none(space.n_hanging() == 0)
{
  Array<int> hanging; // of the rank's own nodes
  for (int i = 0; i < space.n_owned(); ++i)
    if (!space.is_free(i))
      hanging.push_back(i);
  const auto    &H       = space.H;
  const MPI_Comm comm    = space.partition().get_mpi_communicator();
  const auto     of_node = matrix_of_rows(static_cast<int>(hanging.size()), H.n_cols, [&](int i, Row &row) {
    for (auto k = H.row_start[hanging[i]]; k < H.row_start[hanging[i] + 1]; ++k)
      row.emplace_back(H.column[k], H.value[k]);
  });
  const auto     numbers = make_partitioner(owned_range(hanging.size(), comm), {}, comm);
  rows   = Matrix<double>(device, by_components(sum_rows(of_node, *numbers, space.partition()), n_components));
  nodes  = List<int>(device, hanging);
  values = Vector<double>(device, n_components * nodes.size());
}

template <int dim>
void HangingNodes<dim>::apply(Vector<double> &u)
{
  if (none)
    return;
  device.multiply(1., rows, u, 0., values);
  device.for_each(nodes.size(), SetAtNodes{n_components, nodes.size(), n, nodes.data(), values.data(), u.data()});
}

template <int dim>
void HangingVertices<dim>::straighten(dealii::Triangulation<dim> &mesh, unsigned int refined)
{
  // A cell of a generation was active so many refinements ago. Where its neighbours were finer, its sides have
  // children of a further generation. From coarse cells to fine ones: vertices that others hang between may hang too.
  for (unsigned int generation = refined + 1; generation-- > 0;)
    {
      for (const auto &cell : mesh.cell_iterators())
        if (cell->max_refinement_depth() == generation)
          for_each_side(cell, [&](const auto &side) {
            if (side->max_refinement_depth() > generation)
              straighten_middle(side);
          });
      if (generation > 0)
        for (const auto &cell : mesh.cell_iterators())
          if (cell->max_refinement_depth() == generation)
            {
              for_each_side(cell, [&](const auto &side) { carry_middle(side); });
              carry_middle(cell);
            }
    }
  check_cells(mesh);
}

template <int dim>
void HangingVertices<dim>::restore(dealii::Triangulation<dim> &mesh)
{
  if (before.empty())
    return;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      if (const auto found = before.find(cell->vertex_index(v)); found != before.end())
        cell->vertex(v) = found->second;
  before.clear();
}

template std::vector<int> nodes_on_boundary(const LevelSpace<2> &, dealii::types::boundary_id);
template std::vector<int> nodes_on_boundary(const LevelSpace<3> &, dealii::types::boundary_id);
template class BoundaryValues<2>;
template class BoundaryValues<3>;
template class SlipNodes<2>;
template class SlipNodes<3>;
template class HangingNodes<2>;
template class HangingNodes<3>;
template class HangingVertices<2>;
template class HangingVertices<3>;
} // namespace adamant
