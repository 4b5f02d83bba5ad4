#pragma once

#include "discretization/level_meshes.h"
#include "discretization/level_space.h"

namespace adamant
{
/// P = (cell embedding) H_coarse with the rows of constrained fine DoFs empty, n_fine x n_coarse (Liebchen et al.,
/// equation (1)). It maps the free unknowns of the coarse level to those of the fine one; `fine_mesh` links their cells.
template <int dim>
CSRMatrix<double> prolongation_matrix(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine,
                                      const LevelSpace<dim> &coarse);
} // namespace adamant
