#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/spaces/level_space.h"

namespace adamant
{
/// Matrices that sum local vectors of all cells of a space. Entry c of node a of a cell has number (cell n + a) m + c,
/// with n nodes of a cell and m components, of which each node has all. They are in host memory, on one rank. They
/// throw RunError on several ranks, and where nodes have different components.

/// Returns Hᵀ times the sum over cells: a row for each DoF, empty where it is not free. Applied to local integrals of
/// test functions it gives residuals, right-hand sides and the like. Entries are 1, or weights at hanging nodes.
template <int dim>
CSRMatrix<double> cell_gather(const LevelSpace<dim> &space);

/// Returns the sums over all nodes on a boundary, a row for each component. They test with the function that is 1
/// there, 0 at all other nodes that do not hang, and interpolated at nodes that do. Applied to a momentum balance they
/// give the force on a body.
template <int dim>
CSRMatrix<double> boundary_gather(const LevelSpace<dim> &space, dealii::types::boundary_id id);
} // namespace adamant
