#pragma once

#include "fem/meshes/level_meshes.h"
#include "fem/spaces/level_space.h"

namespace adamant
{
/// The prolongation P = (cell embedding) H_coarse, n_fine x n_coarse, and its transpose, the restriction. The rows of
/// constrained fine DoFs are empty (Liebchen et al., equation (1)). P and its transpose map the free unknowns of the
/// levels to each other; `fine_mesh` links the levels' cells. Where the elements differ, P interpolates at the nodes,
/// and all cells have to be refined. An example is Q1 on a fine mesh with the nodes of Q2 on the coarse one. Each rank
/// has its rows; all ranks call transfer_matrices together.
struct Transfer
{
  CSRMatrix<double> prolongation, restriction;
};
template <int dim>
Transfer transfer_matrices(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine, const LevelSpace<dim> &coarse);
} // namespace adamant
