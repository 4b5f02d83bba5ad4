#include "coefficients/coarser_values.h"

#include "base/row_ranges.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/numbering.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>

namespace adamant
{
namespace
{
int n_local(const Partitioner &numbers)
{
  return static_cast<int>(numbers.locally_owned_size() + numbers.n_ghost_indices());
}

// Divides each row by its sum.
void take_means(CSRMatrix<double> &sums)
{
  for (int row = 0; row < sums.n_rows; ++row)
    {
      const auto   first = sums.value.begin() + sums.row_start[row], end = sums.value.begin() + sums.row_start[row + 1];
      const double sum = std::accumulate(first, end, 0.);
      std::for_each(first, end, [&](double &w) { w /= sum; });
    }
}

// The global numbers of the DoFs i of all coarse cells that this rank's cells lie in, other ranks' cells among them.
template <int dim>
std::vector<Array<std::uint64_t>> dofs_of_coarse_cells(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &coarse)
{
  const auto                        plan = fine_mesh.coarse_cells ? exchange_plan(*fine_mesh.coarse_cells) : nullptr;
  std::vector<Array<std::uint64_t>> dofs;
  for (int i = 0; i < coarse.dofs_per_cell(); ++i)
    {
      Array<std::uint64_t> own(coarse.n_cells());
      for (int cell = 0; cell < coarse.n_cells(); ++cell)
        own[cell] = coarse.partition().local_to_global(coarse.cell_dofs(cell)[i]);
      dofs.push_back(plan ? with_ghosts(*plan, std::move(own)) : std::move(own));
    }
  return dofs;
}

// n_coarse x n_fine: the fine function's value at each coarse node. For elements of degree 1 and 2 that node is a fine
// node, too. For others deal.II's restriction has the weights of the nodes of the child around it.
template <int dim>
CSRMatrix<double> injection(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse)
{
  const auto &fe       = fine.element();
  const int   per_cell = fine.dofs_per_cell();
  const auto  dofs     = dofs_of_coarse_cells(fine_mesh, coarse);
  const auto  range    = coarse.partition().locally_owned_range();

  std::vector<dealii::types::global_dof_index> others;
  for (const auto &of_cells : dofs)
    std::copy_if(of_cells.begin(), of_cells.end(), std::back_inserter(others),
                 [&](auto dof) { return !range.is_element(static_cast<unsigned int>(dof)); });
  const auto rows = make_partitioner(range, std::move(others), coarse.partition().get_mpi_communicator());

  // The weights of the nodes of child c at the coarse cell's node j; empty where that node lies outside the child.
  const auto weights = rows_of_children<dim>([&fe](unsigned int c) { return fe.get_restriction_matrix(c); });
  Array<int> cell_around(n_local(*rows), -1), place(n_local(*rows), -1);
  for (int cell = 0; cell < fine.n_cells(); ++cell)
    for (int j = 0; j < per_cell; ++j)
      if (const auto child = fine_mesh.child[cell]; child == LevelMesh<dim>::same_cell || !weights[child][j].empty())
        {
          const auto row   = rows->global_to_local(dofs[j][fine_mesh.coarse_cell[cell]]);
          cell_around[row] = cell;
          place[row]       = j;
        }

  const auto fill = [&](int row, Row &entries) {
    const int cell = cell_around[row];
    if (cell >= 0 && fine_mesh.child[cell] == LevelMesh<dim>::same_cell)
      entries.emplace_back(fine.cell_dofs(cell)[place[row]], 1.);
    else if (cell >= 0)
      for (const auto &[i, w] : weights[fine_mesh.child[cell]][place[row]])
        entries.emplace_back(fine.cell_dofs(cell)[i], w);
    compress(entries);
  };
  const int n_rows = static_cast<int>(cell_around.size());
  auto      matrix = sum_rows(matrix_of_rows(n_rows, fine.n_dofs(), fill), *rows, fine.partition());
  take_means(matrix); // of several ranks with a cell around a node
  return matrix;
}

// The numbers of the coarse cells that this rank's cells lie in.
template <int dim>
std::shared_ptr<const Partitioner> coarse_numbers(const LevelMesh<dim> &fine_mesh)
{
  if (fine_mesh.coarse_cells)
    return fine_mesh.coarse_cells;
  const int n = fine_mesh.coarse_cell.empty() ?
                  0 :
                  *std::max_element(fine_mesh.coarse_cell.begin(), fine_mesh.coarse_cell.end()) + 1;
  return make_partitioner(owned_range(n, MPI_COMM_SELF), {}, MPI_COMM_SELF);
}

// Transposed, of a matrix with a row for each of this rank's cells; its columns have these numbers.
CSRMatrix<double> sum_transposed(const CSRMatrix<double> &of_cells, const Partitioner &columns)
{
  const MPI_Comm comm = columns.get_mpi_communicator();
  return sum_rows(transpose(of_cells), columns, *make_partitioner(owned_range(of_cells.n_rows, comm), {}, comm));
}

template <int dim>
CSRMatrix<double> averages_of_cells(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine)
{
  const auto coarse = coarse_numbers(fine_mesh);
  auto       averages =
    sum_transposed(matrix_of_rows(fine.n_cells(), n_local(*coarse),
                                  [&](int cell, Row &row) {
                                    row.emplace_back(fine_mesh.coarse_cell[cell], fine.active_cells()[cell]->measure());
                                  }),
                   *coarse);
  take_means(averages);
  return averages;
}
} // namespace

template <int dim>
CSRMatrix<double> embedding(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse)
{
  const auto &fe       = fine.element();
  const int   per_cell = fine.dofs_per_cell();
  // The first cell of each DoF gives its row: the function is continuous.
  const auto first   = first_places(fine.cell_dofs(0), fine.n_cells() * per_cell, fine.n_dofs());
  const auto weights = rows_of_children<dim>([&fe](unsigned int c) { return fe.get_prolongation_matrix(c); });
  return matrix_of_rows(fine.n_dofs(), coarse.n_dofs(), [&](int dof, Row &row) {
    const int           cell = first[dof] / per_cell, i = first[dof] % per_cell;
    const int          *coarse_dofs = coarse.cell_dofs(fine_mesh.coarse_cell[cell]);
    const unsigned char child       = fine_mesh.child[cell];
    if (child == LevelMesh<dim>::same_cell)
      row.emplace_back(coarse_dofs[i], 1.);
    else
      for (const auto &[j, weight] : weights[child][i])
        row.emplace_back(coarse_dofs[j], weight);
    compress(row);
  });
}

template <int dim>
CSRMatrix<double> at_common_nodes(CSRMatrix<double> interpolation, const LevelSpace<dim> &fine,
                                  const LevelSpace<dim> &coarse)
{
  // An entry is 1 where a node belongs to both spaces, and at the node that is equal to it across a periodic boundary.
  for (int node = 0; node < interpolation.n_rows; ++node)
    for (auto k = interpolation.row_start[node]; k < interpolation.row_start[node + 1]; ++k)
      interpolation.value[k] = fine.is_free(node) && interpolation.value[k] == 1. ? 1. : 0.;
  return transposed_over_ranks(interpolation, coarse.partition());
}

template <int dim>
CSRMatrix<double> values_of_parents(const LevelMesh<dim> &fine_mesh)
{
  const auto coarse  = coarse_numbers(fine_mesh);
  const int  n_fine  = static_cast<int>(fine_mesh.coarse_cell.size());
  auto       parents = matrix_of_rows(n_fine, n_local(*coarse),
                                      [&](int cell, Row &row) { row.emplace_back(fine_mesh.coarse_cell[cell], 1.); });
  parents.ghosts     = exchange_plan(*coarse);
  return parents;
}

template <int dim>
std::shared_ptr<const Partitioner> numbers_of_parts(const LevelMesh<dim> &fine_mesh, int n_parts)
{
  const auto                                   coarse = coarse_numbers(fine_mesh);
  const MPI_Comm                               comm   = coarse->get_mpi_communicator();
  std::vector<dealii::types::global_dof_index> ghosts;
  for (const auto ghost : coarse->ghost_indices())
    for (int part = 0; part < n_parts; ++part)
      ghosts.push_back(n_parts * ghost + part);
  return make_partitioner(owned_range(std::uint64_t(n_parts) * coarse->locally_owned_size(), comm), ghosts, comm);
}

template <int dim>
CSRMatrix<double> values_of_children(const LevelMesh<dim> &fine_mesh)
{
  constexpr int n_children = dealii::GeometryInfo<dim>::max_children_per_cell;
  const auto    numbers    = numbers_of_parts(fine_mesh, n_children);
  const int     n_fine     = static_cast<int>(fine_mesh.coarse_cell.size());
  return sum_transposed(matrix_of_rows(n_fine, n_local(*numbers),
                                       [&](int cell, Row &row) {
                                         const int family = n_children * fine_mesh.coarse_cell[cell];
                                         row.emplace_back(family + fine_mesh.child[cell], 1.);
                                       }),
                        *numbers);
}

template <int dim>
InjectedValues<dim>::InjectedValues(const Device &device, const Field<dim> &field)
  : device(device)
{
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      const auto &space = field.space(l);
      ghosts.emplace_back(device, exchange_plan(space.partition()), space.n_owned());
      values.push_back(ghosts[l].vector());
      owned.push_back(values[l].part(0, space.n_owned()));
      if (l > 0)
        injections.emplace_back(device, injection(field.meshes()[l], space, field.space(l - 1)));
    }
}

template <int dim>
void InjectedValues<dim>::update_finest(const Vector<double> &finest)
{
  device.copy(finest, owned.back());
  ghosts.back().fill(values.back());
}

template <int dim>
void InjectedValues<dim>::update(const Vector<double> &finest)
{
  update_finest(finest);
  for (std::size_t l = values.size() - 1; l > 0; --l)
    {
      device.multiply(1., injections[l - 1], owned[l], 0., owned[l - 1]);
      ghosts[l - 1].fill(values[l - 1]);
    }
}

template <int dim>
CellAverages<dim>::CellAverages(const Device &device, const Field<dim> &field, Average average)
  : device(device)
  , average(average)
{
  int most = 0;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      most = std::max(most, field.space(l).n_cells());
      values.emplace_back(device, field.space(l).n_cells());
      if (l > 0)
        averages.emplace_back(device, averages_of_cells(field.meshes()[l], field.space(l)));
    }
  scratch = Vector<double>(device, most);
}

template <int dim>
void CellAverages<dim>::update(const Vector<double> &finest)
{
  device.copy(finest, values.back());
  for (std::size_t l = values.size() - 1; l > 0; --l)
    {
      Vector<double>  transformed = scratch.part(0, values[l].size());
      Vector<double> &result      = values[l - 1];
      const bool      plain       = average == Average::arithmetic;
      if (!plain)
        device.for_each(transformed.size(), ForAverage{average, false, values[l].data(), transformed.data()});
      device.multiply(1., averages[l - 1], plain ? values[l] : transformed, 0., result);
      if (!plain)
        device.for_each(result.size(), ForAverage{average, true, result.data(), result.data()});
    }
}

template decltype(embedding<2>)          embedding<2>;
template decltype(embedding<3>)          embedding<3>;
template decltype(at_common_nodes<2>)    at_common_nodes<2>;
template decltype(at_common_nodes<3>)    at_common_nodes<3>;
template decltype(values_of_parents<2>)  values_of_parents<2>;
template decltype(values_of_parents<3>)  values_of_parents<3>;
template decltype(numbers_of_parts<2>)   numbers_of_parts<2>;
template decltype(numbers_of_parts<3>)   numbers_of_parts<3>;
template decltype(values_of_children<2>) values_of_children<2>;
template decltype(values_of_children<3>) values_of_children<3>;
template class InjectedValues<2>;
template class InjectedValues<3>;
template class CellAverages<2>;
template class CellAverages<3>;
} // namespace adamant
