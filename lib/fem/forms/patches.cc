#include "fem/forms/patches.h"

#include "base/exceptions.h"
#include "fem/forms/cell_rows.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
template <int dim>
void require_one_rank(const LevelSpace<dim> &space, const char *what, const char *instead)
{
  if (space.partition().n_mpi_processes() > 1)
    throw InputError(std::string(what) + ": it runs on one rank; take " + instead);
}

// Calls fill(k, nodes) for k = 0, ..., n - 1 twice, threaded, to gather the lists that it makes.
template <typename Fill>
Patches gather(int n, const Fill &fill)
{
  Patches patches;
  patches.start.assign(n + 1, 0);
#pragma omp parallel
  {
    std::vector<int> nodes;
#pragma omp for schedule(static)
    for (int k = 0; k < n; ++k)
      {
        fill(k, nodes);
        patches.start[k + 1] = static_cast<int>(nodes.size());
      }
  }
  std::size_t sum = 0;
  for (int &start : patches.start)
    start = to_index(sum += start, "nodes of patches");
  patches.node.resize(sum);
#pragma omp parallel
  {
    std::vector<int> nodes;
#pragma omp for schedule(static)
    for (int k = 0; k < n; ++k)
      {
        fill(k, nodes);
        std::copy(nodes.begin(), nodes.end(), patches.node.begin() + patches.start[k]);
      }
  }
  return patches;
}

void sort_uniquely(std::vector<int> &numbers)
{
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

template <int dim>
Patches nodes_of_cells(const LevelSpace<dim> &space)
{
  return gather(space.n_cells(), [&space](int cell, std::vector<int> &nodes) {
    nodes.clear();
    for_each_row_of_cell(space, cell, [&](int, int row, double) { nodes.push_back(row / space.node_size()); });
    sort_uniquely(nodes);
  });
}

// The cells of each node, ascending, from the nodes of each cell: lists likewise.
Patches transposed(const Patches &cells, int n_nodes)
{
  Patches nodes;
  nodes.start.assign(n_nodes + 1, 0);
  for (const int node : cells.node)
    ++nodes.start[node + 1];
  for (int node = 0; node < n_nodes; ++node)
    nodes.start[node + 1] += nodes.start[node];
  nodes.node.resize(cells.node.size());
  std::vector<int> next(nodes.start.begin(), nodes.start.end() - 1);
  for (int cell = 0; cell < cells.size(); ++cell)
    for (int k = cells.start[cell]; k < cells.start[cell + 1]; ++k)
      nodes.node[next[cells.node[k]]++] = cell;
  return nodes;
}

// Whether all cells of node a are among those of node b.
bool contained(const Patches &cells_of, int a, int b)
{
  const auto at = [&](int node) { return cells_of.node.begin() + cells_of.start[node]; };
  return std::includes(at(b), at(b + 1), at(a), at(a + 1));
}

// All nodes that share a cell with this one.
std::vector<int> neighbours(const Patches &nodes_of, const Patches &cells_of, int node)
{
  std::vector<int> all;
  for (int c = cells_of.start[node]; c < cells_of.start[node + 1]; ++c)
    {
      const int cell = cells_of.node[c];
      all.insert(all.end(), nodes_of.node.begin() + nodes_of.start[cell],
                 nodes_of.node.begin() + nodes_of.start[cell + 1]);
    }
  sort_uniquely(all);
  return all;
}
} // namespace

template <int dim>
Patches cell_patches(const LevelSpace<dim> &space)
{
  require_one_rank(space, "smoother cell_patches", "block_jacobi");
  return nodes_of_cells(space);
}

namespace
{
// The cells of nodes, the nodes of cells, and the nodes that are vertices.
struct Adjacency
{
  Patches          nodes_of, cells_of;
  std::vector<int> vertices;

  template <int dim>
  explicit Adjacency(const LevelSpace<dim> &space)
    : nodes_of(nodes_of_cells(space))
    , cells_of(transposed(nodes_of, space.n_dofs() / space.node_size()))
  {
    const int         n_nodes = cells_of.size();
    std::vector<char> is_vertex(n_nodes, 0);
#pragma omp parallel for schedule(static)
    for (int node = 0; node < n_nodes; ++node)
      {
        const auto others = around(node);
        is_vertex[node]   = !others.empty() && std::none_of(others.begin(), others.end(), [&](int other) {
          return other != node && contained(cells_of, node, other) &&
                 (other < node || !contained(cells_of, other, node));
        });
      }
    for (int node = 0; node < n_nodes; ++node)
      if (is_vertex[node] != 0)
        vertices.push_back(node);
  }

  std::vector<int> around(int node) const
  {
    return neighbours(nodes_of, cells_of, node);
  }
};
} // namespace

template <int dim>
Patches vertex_patches(const LevelSpace<dim> &space)
{
  require_one_rank(space, "smoother vertex_patches", "block_jacobi");
  const Adjacency adjacency(space);
  return gather(static_cast<int>(adjacency.vertices.size()), [&](int k, std::vector<int> &nodes) {
    const int vertex = adjacency.vertices[k];
    nodes            = adjacency.around(vertex);
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [&](int other) { return !contained(adjacency.cells_of, other, vertex); }),
                nodes.end());
  });
}

template <int dim>
Patches star_patches(const LevelSpace<dim> &space)
{
  require_one_rank(space, "smoother downstream_patches", "block_jacobi");
  const Adjacency adjacency(space);
  return gather(static_cast<int>(adjacency.vertices.size()),
                [&](int k, std::vector<int> &nodes) { nodes = adjacency.around(adjacency.vertices[k]); });
}

namespace
{
// The nodes of the fine level that act on the children of one cell of the coarse level alone, for each such cell.
template <int dim>
Patches nodes_inside_coarse_cells(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &space, int n_coarse_cells)
{
  constexpr int none = -1, not_inside = -2;
  const auto    cells   = nodes_of_cells(space);
  const int     n_nodes = space.n_dofs() / space.node_size();
  Array<int>    parent(n_nodes, none); // of all cells of a node
  for (int cell = 0; cell < cells.size(); ++cell)
    {
      const int coarse = fine_mesh.child[cell] == LevelMesh<dim>::same_cell ? not_inside : fine_mesh.coarse_cell[cell];
      for (int k = cells.start[cell]; k < cells.start[cell + 1]; ++k)
        if (int &known = parent[cells.node[k]]; known != coarse)
          known = known == none ? coarse : not_inside;
    }
  std::vector<std::vector<int>> inside(n_coarse_cells);
  for (int node = 0; node < n_nodes; ++node)
    if (parent[node] >= 0)
      inside[parent[node]].push_back(node);
  return gather(n_coarse_cells, [&](int cell, std::vector<int> &nodes) { nodes = inside[cell]; });
}

// The rows -A_ii⁻¹ A_ib P_b of the unknowns i of some nodes, m each.
std::vector<Row> harmonic_rows(const CSRMatrix<double> &A, const CSRMatrix<double> &P, const int *nodes, int n_nodes,
                               int m)
{
  const int  n     = n_nodes * m;
  const auto place = [&](int row) { // among the unknowns, or -1
    const auto found = std::lower_bound(nodes, nodes + n_nodes, row / m);
    return found != nodes + n_nodes && *found == row / m ? static_cast<int>(found - nodes) * m + row % m : -1;
  };
  dealii::FullMatrix<double> A_ii(n, n);
  std::vector<Row>           rows(n); // A_ib P_b
  std::vector<int>           columns;
  for (int i = 0; i < n; ++i)
    {
      const int row = nodes[i / m] * m + i % m;
      for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
        if (const int j = place(A.column[k]); j >= 0)
          A_ii(i, j) = A.value[k];
        else
          for (auto l = P.row_start[A.column[k]]; l < P.row_start[A.column[k] + 1]; ++l)
            rows[i].emplace_back(P.column[l], A.value[k] * P.value[l]);
      compress(rows[i]);
      for (const auto &entry : rows[i])
        columns.push_back(entry.first);
    }
  sort_uniquely(columns);
  if (columns.empty()) // all around is prescribed
    return rows;
  dealii::FullMatrix<double> right(n, columns.size()), solution(n, columns.size());
  for (int i = 0; i < n; ++i)
    for (const auto &[column, value] : rows[i])
      right(i, std::lower_bound(columns.begin(), columns.end(), column) - columns.begin()) = -value;
  A_ii.gauss_jordan();
  A_ii.mmult(solution, right);
  for (int i = 0; i < n; ++i)
    {
      rows[i].clear();
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (std::abs(solution(i, k)) > 1e-14)
          rows[i].emplace_back(columns[k], solution(i, k));
    }
  return rows;
}

// P with the rows of the nodes inside coarse cells replaced.
CSRMatrix<double> harmonic(const CSRMatrix<double> &A, const CSRMatrix<double> &P, const Patches &inside, int m)
{
  std::vector<std::vector<Row>> rows(inside.size());
  Array<int>                    list(P.n_rows, -1), number(P.n_rows); // where the new row of an unknown is
#pragma omp parallel for schedule(dynamic, 16)
  for (int k = 0; k < inside.size(); ++k)
    {
      const int *nodes = inside.node.data() + inside.start[k], n = inside.start[k + 1] - inside.start[k];
      rows[k] = harmonic_rows(A, P, nodes, n, m);
      for (int i = 0; i < n * m; ++i)
        {
          list[nodes[i / m] * m + i % m]   = k;
          number[nodes[i / m] * m + i % m] = i;
        }
    }
  CSRMatrix<double> result;
  result.n_rows = P.n_rows;
  result.n_cols = P.n_cols;
  result.row_start.resize(P.n_rows + 1);
  result.row_start[0] = 0;
  for (int i = 0; i < P.n_rows; ++i)
    result.row_start[i + 1] =
      list[i] < 0 ? P.row_start[i + 1] - P.row_start[i] : EntryNumber(rows[list[i]][number[i]].size());
  finish_row_starts(result);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < P.n_rows; ++i)
    for (auto k = result.row_start[i], l = EntryNumber(0); k < result.row_start[i + 1]; ++k, ++l)
      if (list[i] < 0)
        {
          result.column[k] = P.column[P.row_start[i] + l];
          result.value[k]  = P.value[P.row_start[i] + l];
        }
      else
        std::tie(result.column[k], result.value[k]) = rows[list[i]][number[i]][l];
  return result;
}
} // namespace

template <int dim>
void make_harmonic(const Field<dim> &field, std::vector<LevelData> &levels)
{
  require_one_rank(field.finest(), "harmonic interpolation", "embedding");
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const auto inside = nodes_inside_coarse_cells(field.meshes()[l], field.space(l), field.space(l - 1).n_cells());
      const auto A      = levels[l].changing() ? std::make_optional(matrix_on_host(levels[l])) : std::nullopt;
      const auto P      = std::make_shared<CSRMatrix<double>>(
        harmonic(A ? *A : levels[l].rows(), *levels[l].prolongation, inside, field.node_size()));
      levels[l].restriction  = std::make_shared<CSRMatrix<double>>(transpose(*P));
      levels[l].prolongation = P;
    }
}

template Patches cell_patches(const LevelSpace<2> &);
template Patches cell_patches(const LevelSpace<3> &);
template Patches vertex_patches(const LevelSpace<2> &);
template Patches vertex_patches(const LevelSpace<3> &);
template Patches star_patches(const LevelSpace<2> &);
template Patches star_patches(const LevelSpace<3> &);
template void    make_harmonic(const Field<2> &, std::vector<LevelData> &);
template void    make_harmonic(const Field<3> &, std::vector<LevelData> &);
} // namespace adamant
