#include "solid/newton/negative_eigenvalues.h"

#include "operators/device_level.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// LAPACK, by columns.
extern "C" void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivot, double *work,
                        const int *lwork, int *info);
extern "C" void dpbtrf_(const char *uplo, const int *n, const int *width, double *band, const int *length, int *info);

namespace adamant
{
namespace
{
// Whether the symmetric A is L Lᵀ and so positive definite; column i of the band of A has its entries from row i on.
bool has_cholesky_factor(const CSRMatrix<double> &A)
{
  int width = 0;
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      width = std::max(width, A.column[k] - i);
  const int           length = width + 1;
  std::vector<double> band(std::size_t(length) * A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      if (A.column[k] >= i)
        band[std::size_t(i) * length + A.column[k] - i] = A.value[k];
  int info = 0;
  dpbtrf_("L", &A.n_rows, &width, band.data(), &length, &info);
  return info == 0;
}

// Of D, for any symmetric A. It takes several times as long.
double negative_pivots(const CSRMatrix<double> &A)
{
  const int           n = A.n_rows, length = 64 * n;
  std::vector<double> a(std::size_t(n) * n), work(length);
  for (int i = 0; i < n; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      a[std::size_t(i) * n + A.column[k]] = A.value[k];
  int              info = 0;
  std::vector<int> pivot(n);
  dsytrf_("L", &n, a.data(), &n, pivot.data(), work.data(), &length, &info);
  double negative = 0.;
  for (int i = 0; i < n; ++i)
    if (pivot[i] < 0) // a block of two, which has a negative and a positive eigenvalue
      negative += 0.5;
    else if (a[std::size_t(i) * n + i] < 0.)
      negative += 1.;
  return negative;
}
} // namespace

std::optional<int> n_negative_eigenvalues(const Communicator &communicator, const LevelData &level)
{
  const int n        = level.n_rows();
  double    unfit[1] = {n > 1000 || level.matrix().n_cols != n ? 1. : 0.};
  communicator.max(unfit, 1);
  if (unfit[0] > 0.)
    return {};
  const auto A        = matrix_on_host(level);
  double     negative = has_cholesky_factor(A) ? 0. : negative_pivots(A);
  communicator.sum(&negative, 1);
  return static_cast<int>(negative + 0.5);
}
} // namespace adamant
