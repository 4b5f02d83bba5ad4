#pragma once

namespace adamant::host
{
/// Replaces the row-major n x n matrix a by its inverse, by blockwise Gauss-Jordan elimination with partial pivoting.
/// LAPACK's LU factorisation of each block of columns chooses the pivots; all else is threaded. (LAPACK alone takes 20
/// times as long with the BLAS that deal.II's package brings along.) A singular matrix gives values that are no
/// numbers.
void invert(double *a, int n, int n_threads);
} // namespace adamant::host
