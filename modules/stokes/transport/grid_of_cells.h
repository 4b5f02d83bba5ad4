#pragma once

#include "algebra/cell_matrix.h"
#include "fem/spaces/level_space.h"

#include <optional>

namespace adamant
{
/// A level whose cells form a grid: the boxes of a uniform mesh.
struct GridOfCells
{
  CellGrid   grid;
  Array<int> first_node; ///< of each cell of the level: the number of its vertex 0 in the grid
};

/// Returns the grid, or nothing where the level is none. It is none with hanging nodes, on several ranks, and where
/// numbers do not follow the lines; its element has to be Q1 in 3D with three components. `local` is the matrix of all
/// cells, with vertices in deal.II's order. Entry (c, d) of vertices a, b is at [(8 a + b) 9 + 3 c + d].
template <int dim>
std::optional<GridOfCells> grid_of_cells(const LevelSpace<dim> &space, const Array<double> &local);
} // namespace adamant
