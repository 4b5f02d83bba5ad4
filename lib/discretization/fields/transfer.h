#pragma once

#include "discretization/fields/level_space.h"
#include "discretization/meshes/level_meshes.h"

namespace adamant
{
/// P = (cell embedding) H_coarse with the rows of constrained fine DoFs empty, n_fine x n_coarse (Liebchen et al.,
/// equation (1)), and its transpose. They map the free unknowns of the levels to each other; `fine_mesh` links their
/// cells. Where the elements differ, as where Q1 on a fine mesh has the nodes of Q2 on the coarse one, P interpolates
/// at the nodes, and all cells have been refined. On several ranks each has its rows; all ranks call it together.
struct Transfer
{
  CSRMatrix<double> prolongation, restriction;
};
template <int dim>
Transfer transfer_matrices(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse);
} // namespace adamant
