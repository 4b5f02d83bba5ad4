#include "fem/forms/patches.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/row_ranges.h"
#include "fem/forms/cell_rows.h"
#include "operators/device_level.h"

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

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

// The patches k = 0, ..., n - 1, whose nodes fill(k, nodes) makes; on all threads.
template <typename Fill>
Patches gather(int n, const Fill &fill)
{
  Patches patches;
  make_lists<int>(
    n, patches.start, fill, [&](std::size_t size) { patches.node.resize(to_index(size, "nodes of patches")); },
    [&](std::size_t k, int node) { patches.node[k] = node; });
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
    for_each_row_of_cell(space, cell, [&](int, int row, double) { nodes.push_back(row / space.node_size()); });
    sort_uniquely(nodes);
  });
}

// The cells of each node, ascending, from the nodes of each cell.
Patches transposed(const Patches &cells, int n_nodes)
{
  Patches    nodes;
  const auto visit = [&cells](int cell, const auto &add) {
    for (int k = cells.start[cell]; k < cells.start[cell + 1]; ++k)
      add(cells.node[k]);
  };
  list_by_rows(
    n_nodes, cells.size(), nodes.start, visit, [&](std::size_t n) { nodes.node.resize(n); },
    [&](int place, int cell) { nodes.node[place] = cell; });
  return nodes;
}

// Whether node b has all cells of node a.
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

// The nodes that count as vertices.
std::vector<int> vertices(const Patches &nodes_of, const Patches &cells_of)
{
  const int         n_nodes = cells_of.size();
  std::vector<char> is_vertex(n_nodes, 0);
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    {
      const auto others = neighbours(nodes_of, cells_of, node);
      is_vertex[node]   = !others.empty() && std::none_of(others.begin(), others.end(), [&](int other) {
        return other != node && contained(cells_of, node, other) && (other < node || !contained(cells_of, other, node));
      });
    }
  std::vector<int> list;
  for (int node = 0; node < n_nodes; ++node)
    if (is_vertex[node] != 0)
      list.push_back(node);
  return list;
}

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
  Patches inside;
  list_by_rows(
    n_coarse_cells, n_nodes, inside.start,
    [&](int node, const auto &add) {
      if (parent[node] >= 0)
        add(parent[node]);
    },
    [&](std::size_t n) { inside.node.resize(n); }, [&](int place, int node) { inside.node[place] = node; });
  return inside;
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
  return matrix_of_rows(P.n_rows, P.n_cols, [&](int i, Row &row) {
    if (list[i] >= 0)
      row = rows[list[i]][number[i]];
    else
      for (auto k = P.row_start[i]; k < P.row_start[i + 1]; ++k)
        row.emplace_back(P.column[k], P.value[k]);
  });
}
} // namespace

template <int dim>
Patches make_patches(const LevelSpace<dim> &space, PatchKind kind)
{
  const char *const smoothers[] = {"smoother cell_patches", "smoother vertex_patches", "smoother downstream_patches"};
  require_one_rank(space, smoothers[static_cast<int>(kind)], "block_jacobi");
  auto nodes_of = nodes_of_cells(space);
  if (kind == PatchKind::cells)
    return nodes_of;
  const auto cells_of = transposed(nodes_of, space.n_dofs() / space.node_size());
  const auto centres  = vertices(nodes_of, cells_of);
  return gather(static_cast<int>(centres.size()), [&](int k, std::vector<int> &nodes) {
    nodes = neighbours(nodes_of, cells_of, centres[k]);
    if (kind == PatchKind::vertices)
      nodes.erase(
        std::remove_if(nodes.begin(), nodes.end(), [&](int other) { return !contained(cells_of, other, centres[k]); }),
        nodes.end());
  });
}

template <int dim>
void make_harmonic(const Field<dim> &field, std::vector<LevelData> &levels)
{
  require_one_rank(field.finest(), "harmonic interpolation", "embedding");
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      const auto inside = nodes_inside_coarse_cells(field.meshes()[l], field.space(l), field.space(l - 1).n_cells());
      const auto A      = levels[l].changing() ? std::make_optional(matrix_on_host(levels[l])) : std::nullopt;
      const auto P      = std::make_shared<CSRMatrix<double>>(
        harmonic(A ? *A : levels[l].matrix(), *levels[l].prolongation, inside, field.node_size()));
      levels[l].restriction  = std::make_shared<CSRMatrix<double>>(transpose(*P));
      levels[l].prolongation = P;
    }
}

template decltype(make_patches<2>)  make_patches<2>;
template decltype(make_patches<3>)  make_patches<3>;
template decltype(make_harmonic<2>) make_harmonic<2>;
template decltype(make_harmonic<3>) make_harmonic<3>;
} // namespace adamant
