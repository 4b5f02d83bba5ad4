#pragma once

namespace adamant
{
namespace host
{
/// a <- a⁻¹, n x n, row-major: Gauss-Jordan elimination by blocks with partial pivoting, whose pivots LAPACK's LU
/// factorisation of each block of columns chooses; all else is threaded. (LAPACK alone takes 20 times as long with the
/// BLAS that deal.II's package brings along.) A singular matrix gives values that are no numbers.
void invert(double *a, int n, int n_threads);
} // namespace host
} // namespace adamant
