#pragma once

#include "base/csr_matrix.h"
#include "discretization/fields/level_space.h"

namespace adamant
{
/// Sums of local vectors: of all cells of a space the entries c of their nodes a, number (cell n + a) m + c, n the
/// nodes of a cell and m the components of a node, of which each has all. Host memory, on one rank; RunError on
/// several, and where nodes are of different components.

/// Hᵀ times the sum over cells: a row for each DoF, empty where it is not free. With the local integrals of test
/// functions it gives residuals, right-hand sides, ...: entries 1, and weights at hanging nodes.
template <int dim>
CSRMatrix<double> cell_gather(const LevelSpace<dim> &space);

/// The sums over all nodes on a boundary, a row for each component: tested by the function that is 1 there, 0 at all
/// other nodes that do not hang, and interpolated at those that do, a momentum balance gives the force on a body.
template <int dim>
CSRMatrix<double> boundary_gather(const LevelSpace<dim> &space, dealii::types::boundary_id id);
} // namespace adamant
