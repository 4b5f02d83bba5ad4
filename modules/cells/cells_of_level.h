#pragma once

#include "cells/cell_mesh.h"
#include "fem/spaces/level_space.h"

#include <optional>

namespace adamant
{
/// Returns a level as a mesh for products by cells, or nothing where the level is none. It is none for other elements
/// than Q1 with three components, and where cells are no boxes of one shape. On one rank a uniform mesh becomes a grid.
/// On several ranks the result has other ranks' cells, too, as CellMesh says. `of_shapes` has the matrices of all
/// shapes of this rank's cells, for a coefficient 1: entry (c, d) of vertices a, b is at [(8 a + b) 9 + 3 c + d]. With
/// two coefficients each shape has K_0 and then K_1. All ranks call it together, and all get a mesh or none does.
std::optional<CellMesh> cells_of_level(const LevelSpace<3> &space, const Array<double> &of_shapes,
                                       int n_coefficients = 1);
} // namespace adamant
