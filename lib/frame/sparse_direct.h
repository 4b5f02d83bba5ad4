#pragma once

#include "base/csr/csr_matrix.h"
#include "multigrid/options.h"

#include <deal.II/base/config.h>

namespace adamant
{
#ifdef DEAL_II_WITH_UMFPACK
inline constexpr bool has_sparse_direct = true;
#else
inline constexpr bool has_sparse_direct = false;
#endif

/// Whether the factors of a matrix are cheap: they take about s³ operations, where s is the largest front. Here it is
/// the average of rows in layers of the graph from one end, and may be `largest_front`.
bool factors_are_cheap(const CSRMatrix<double> &A, double largest_front);

/// Returns the solver of a matrix by its LU factors, which deal.II's UMFPACK makes on the host. One rank has all rows;
/// ranks without rows get a solver, too. Throws SingularMatrix where the matrix is singular, and InputError where
/// deal.II has no UMFPACK.
ExternalSolver sparse_direct(const CSRMatrix<double> &A);
} // namespace adamant
