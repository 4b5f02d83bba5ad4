#include "fem/forms/patches.h"

#include "base/exceptions.h"
#include "base/row_ranges.h"
#include "fem/forms/cell_rows.h"
#include "fem/ranks/distributed_rows.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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

// The nodes of this rank that act on the children of one cell of the coarse level alone, for each such cell.
template <int dim>
Patches nodes_inside_coarse_cells(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &space)
{
  constexpr int none = -1, not_inside = -2;
  const int     m = space.node_size(), n_nodes = space.n_owned() / m;
  const auto    cells = nodes_of_cells(space);
  Array<int>    parent(n_nodes + (space.partition().n_ghost_indices() + m - 1) / m, none); // of all cells of a node
  for (const auto &[first, end] : space.partition().import_indices()) // other ranks' cells have these nodes
    std::fill(parent.begin() + first / m, parent.begin() + (end + m - 1) / m, not_inside);
  int n_coarse_cells = 0;
  for (int cell = 0; cell < cells.size(); ++cell)
    {
      const int coarse = fine_mesh.child[cell] == LevelMesh<dim>::same_cell ? not_inside : fine_mesh.coarse_cell[cell];
      n_coarse_cells   = std::max(n_coarse_cells, coarse + 1);
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

// The rows of P for all columns of A, on this rank.
CSRMatrix<double> rows_for_columns(const CSRMatrix<double> &A, const CSRMatrix<double> &P)
{
  if (!A.ghosts)
    return P;
  auto identity   = matrix_of_rows(A.n_cols, A.n_cols, [](int i, Row &row) { row.emplace_back(i, 1.); });
  identity.ghosts = A.ghosts;
  return product(identity, P);
}

// What stays of P where it follows A inside cells; m unknowns a node.
HarmonicRows harmonic_rows(const CSRMatrix<double> &A, const CSRMatrix<double> &of_level, Patches inside, int m)
{
  const auto P = rows_for_columns(A, of_level);
  Array<int> cell_of((P.n_rows + m - 1) / m, -1);
  for (int cell = 0; cell < inside.size(); ++cell)
    for (int k = inside.start[cell]; k < inside.start[cell + 1]; ++k)
      cell_of[inside.node[k]] = cell;
  auto       around      = matrix_of_rows(P.n_rows, P.n_cols, [&](int i, Row &row) {
    for (auto k = P.row_start[i]; cell_of[i / m] < 0 && k < P.row_start[i + 1]; ++k)
      row.emplace_back(P.column[k], P.value[k]);
  });
  const auto columns_of  = gather(inside.size(), [&](int cell, std::vector<int> &columns) {
    std::vector<int> unknowns;
    for (int k = inside.start[cell]; k < inside.start[cell + 1]; ++k)
      unknowns.insert(unknowns.end(), A.column.begin() + A.row_start[inside.node[k] * m],
                       A.column.begin() + A.row_start[(inside.node[k] + 1) * m]);
    sort_uniquely(unknowns);
    for (const int b : unknowns)
      columns.insert(columns.end(), around.column.begin() + around.row_start[b],
                      around.column.begin() + around.row_start[b + 1]);
    sort_uniquely(columns);
  });
  auto       following   = matrix_of_rows(of_level.n_rows, P.n_cols, [&](int i, Row &row) {
    for (auto k = around.row_start[i]; k < around.row_start[i + 1]; ++k)
      row.emplace_back(around.column[k], around.value[k]);
    if (const int cell = cell_of[i / m]; cell >= 0)
      for (int k = columns_of.start[cell]; k < columns_of.start[cell + 1]; ++k)
        row.emplace_back(columns_of.node[k], 0.);
  });
  following.ghosts = P.ghosts;
  return {std::move(inside), std::move(around), std::move(following)};
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
  for (std::size_t l = 1; l < levels.size(); ++l)
    levels[l].harmonic = std::make_shared<const HarmonicRows>(
      harmonic_rows(levels[l].matrix(), *levels[l].prolongation,
                    nodes_inside_coarse_cells(field.meshes()[l], field.space(l)), field.node_size()));
}

template decltype(make_patches<2>)  make_patches<2>;
template decltype(make_patches<3>)  make_patches<3>;
template decltype(make_harmonic<2>) make_harmonic<2>;
template decltype(make_harmonic<3>) make_harmonic<3>;
} // namespace adamant
