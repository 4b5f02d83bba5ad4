#include "solid/newton/negative_eigenvalues.h"

#include "operators/device_level.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// LAPACK, by columns.
extern "C" void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivot, double *work,
                        const int *lwork, int *info);

namespace adamant
{
namespace
{
// Whether the symmetric A, of which `a` has all entries, is L Lᵀ and so positive definite. Row i of L begins where row
// i of A does, which spares nearly all of the work. L replaces A below the diagonal.
bool has_cholesky_factor(int n, std::vector<double> &a)
{
  std::vector<double> diagonal(n);
  std::vector<int>    first(n);
  for (int i = 0; i < n; ++i)
    {
      double *row = a.data() + std::size_t(i) * n;
      first[i]    = static_cast<int>(std::find_if(row, row + i, [](double value) { return value != 0.; }) - row);
      for (int j = first[i]; j <= i; ++j)
        {
          const double *other = a.data() + std::size_t(j) * n;
          double        sum   = 0.;
#pragma omp simd reduction(+ : sum)
          for (int k = std::max(first[i], first[j]); k < j; ++k)
            sum += row[k] * other[k];
          if (j < i)
            row[j] = (row[j] - sum) / diagonal[j];
          else
            diagonal[i] = std::sqrt(row[i] - sum);
        }
      if (!(diagonal[i] > 0.))
        return false;
    }
  return true;
}
} // namespace

std::optional<int> n_negative_eigenvalues(const Communicator &communicator, const LevelData &level)
{
  const int n        = level.n_rows();
  double    unfit[1] = {n > 1000 || level.matrix().n_cols != n ? 1. : 0.};
  communicator.max(unfit, 1);
  if (unfit[0] > 0.)
    return {};
  const auto          A = matrix_on_host(level);
  std::vector<double> a(std::size_t(n) * n), work(std::size_t(64) * n);
  for (int i = 0; i < n; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      a[std::size_t(i) * n + A.column[k]] = A.value[k];
  const int        length = static_cast<int>(work.size());
  int              info   = 0;
  std::vector<int> pivot(n);
  const bool       definite = has_cholesky_factor(n, a);
  if (!definite) // twenty times as long; it reads the other triangle
    dsytrf_("L", &n, a.data(), &n, pivot.data(), work.data(), &length, &info);
  double negative = 0.;
  for (int i = 0; i < n && !definite; ++i)
    if (pivot[i] < 0) // a block of two, which has a negative and a positive eigenvalue
      negative += 0.5;
    else if (a[std::size_t(i) * n + i] < 0.)
      negative += 1.;
  communicator.sum(&negative, 1);
  return static_cast<int>(negative + 0.5);
}
} // namespace adamant
