#pragma once

#include "algebra/cell_matrix.h"
#include "discretization/fields/level_space.h"

#include <optional>

namespace adamant
{
/// A level whose cells are a grid: the boxes of a uniform mesh.
struct GridOfCells
{
  CellGrid   grid;
  Array<int> first_node; ///< of each cell of the level: its vertex 0 in the grid
};

/// None where the level is no such grid: hanging nodes, several ranks, an element other than Q1 in 3D with three
/// components, numbers that do not follow the lines. `local` is the matrix of all cells, of vertices in deal.II's
/// order: entry (c, d) of vertices a, b at [(8 a + b) 9 + 3 c + d].
template <int dim>
std::optional<GridOfCells> grid_of_cells(const LevelSpace<dim> &space, const Array<double> &local);
} // namespace adamant
