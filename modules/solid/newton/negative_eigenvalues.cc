#include "solid/newton/negative_eigenvalues.h"

#include "operators/device_level.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// LAPACK, by columns.
extern "C" void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivot, double *work,
                        const int *lwork, int *info);

namespace adamant
{
std::optional<int> n_negative_eigenvalues(const Communicator &communicator, const LevelData &level)
{
  const int n        = level.n_rows();
  double    unfit[1] = {n > 1000 || level.matrix().n_cols != n ? 1. : 0.};
  communicator.max(unfit, 1);
  if (unfit[0] > 0.)
    return {};
  const auto          A = matrix_on_host(level);
  std::vector<double> a(std::size_t(n) * n), work(std::size_t(64) * std::max(n, 1));
  for (int i = 0; i < n; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      a[std::size_t(i) * n + A.column[k]] = A.value[k];
  const int        length = static_cast<int>(work.size());
  int              info   = 0;
  std::vector<int> pivot(n);
  if (n > 0)
    dsytrf_("L", &n, a.data(), &n, pivot.data(), work.data(), &length, &info);
  double negative = 0.;
  for (int i = 0; i < n; ++i)
    if (pivot[i] < 0) // a block of two, which has a negative and a positive eigenvalue
      negative += 0.5;
    else if (a[std::size_t(i) * n + i] < 0.)
      negative += 1.;
  communicator.sum(&negative, 1);
  return static_cast<int>(negative + 0.5);
}
} // namespace adamant
