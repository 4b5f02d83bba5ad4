#pragma once

#include "cells/cell_mesh.h"
#include "fem/spaces/level_space.h"

#include <optional>
#include <string>

namespace adamant
{
/// Returns a level as a mesh for products by cells, or nothing where the level is none; `why` then says the cause,
/// equal on all ranks. It is none for other elements than Q1 with one component or one along each direction, and where
/// cells are no boxes of one shape. On one rank a uniform mesh in 3D with three components becomes a grid. On several
/// ranks the result has other ranks' cells, too, as CellMesh says. `of_shapes` has the matrices of all shapes of this
/// rank's cells, for a coefficient 1; cell 0 has the first one. Entry (c, d) of vertices a, b is at
/// [(a n_vertices + b) n² + n c + d] for n components. With several coefficients each shape has all K_i one after the
/// other. They integrate products of gradients, but with one component K_1 has products of values, and further ones
/// have u ∂_d v. All ranks call it together, and all get a mesh or none does.
template <int dim>
std::optional<CellMesh> cells_of_level(const LevelSpace<dim> &space, const Array<double> &of_shapes, int n_coefficients,
                                       std::string &why);
} // namespace adamant
