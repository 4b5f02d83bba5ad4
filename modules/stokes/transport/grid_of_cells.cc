#include "stokes/transport/grid_of_cells.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace adamant
{
namespace
{
// How the numbers of nodes grow in the directions of a cell, where all cells agree.
template <int dim>
std::optional<std::array<int, dim>> common_strides(const LevelSpace<dim> &space)
{
  std::array<int, dim> strides;
  for (int d = 0; d < dim; ++d)
    strides[d] = (space.cell_dofs(0)[dim << d] - space.cell_dofs(0)[0]) / dim;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      {
        int expected = space.cell_dofs(cell)[0] + i % dim;
        for (int d = 0; d < dim; ++d)
          expected += (i / dim >> d & 1) * dim * strides[d];
        if (space.cell_dofs(cell)[i] != expected)
          return std::nullopt;
      }
  return strides;
}
} // namespace

template <>
std::optional<GridOfCells> grid_of_cells(const LevelSpace<2> &, const Array<double> &)
{
  return std::nullopt;
}

template <>
std::optional<GridOfCells> grid_of_cells(const LevelSpace<3> &space, const Array<double> &local)
{
  if (space.partition().n_mpi_processes() > 1 || space.dofs_per_cell() != 24 || space.node_size() != 3 ||
      space.n_cells() == 0 || space.n_hanging() > 0)
    return std::nullopt;
  const auto strides = common_strides(space);
  if (!strides)
    return std::nullopt;
  std::array<int, 3> axis = {{0, 1, 2}}; // of the cell in each direction of the grid
  std::sort(axis.begin(), axis.end(), [&](int a, int b) { return std::abs((*strides)[a]) < std::abs((*strides)[b]); });
  const int   lines = std::abs((*strides)[axis[1]]), planes = std::abs((*strides)[axis[2]]);
  GridOfCells result;
  auto       &n = result.grid.n_cells;
  if (std::abs((*strides)[axis[0]]) != 1 || lines < 2 || planes % lines != 0 || space.n_dofs() % (3 * planes) != 0)
    return std::nullopt;
  n = {{lines - 1, planes / lines - 1, space.n_dofs() / (3 * planes) - 1}};
  if (long(n[0]) * n[1] * n[2] != space.n_cells())
    return std::nullopt;

  int                to_first = 0; // from the cell's vertex 0 to the one with the least number
  std::array<int, 8> vertex{};     // of the cell for each of the grid's
  for (int e = 0; e < 3; ++e)
    to_first += std::min(0, (*strides)[axis[e]]);
  for (int a = 0; a < 8; ++a)
    for (int e = 0; e < 3; ++e)
      vertex[a] |= ((a >> e & 1) ^ ((*strides)[axis[e]] < 0)) << axis[e];
  Array<char> taken(result.grid.n_nodes(), 0);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      const int first = space.cell_dofs(cell)[0] / 3 + to_first;
      if (first % lines == n[0] || first / lines % (n[1] + 1) == n[1] || first / planes >= n[2] || taken[first]++)
        return std::nullopt;
      result.first_node.push_back(first);
    }
  for (int a = 0; a < 8; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < 8; ++b)
        for (int d = 0; d < 3; ++d)
          result.grid.local.push_back(local[(8 * vertex[a] + vertex[b]) * 9 + 3 * c + d]);
  for (int node = 0; node < result.grid.n_nodes(); ++node)
    {
      int fixed = 0;
      for (int c = 0; c < 3; ++c)
        fixed |= !space.is_free(3 * node + c) << c;
      result.grid.fixed.push_back(static_cast<unsigned char>(fixed));
    }
  // A cell's axes may point anywhere: K tells which component is along which.
  auto &along = result.grid.along;
  do
    if (CellMatrix::can_be_made(result.grid))
      return result;
  while (std::next_permutation(along.begin(), along.end()));
  return std::nullopt;
}
} // namespace adamant
