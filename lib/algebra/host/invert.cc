#include "algebra/host/invert.h"

#include "base/array.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

// LAPACK, by columns.
extern "C" {
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *pivot, double *work, const int *lwork, int *info);
}

namespace adamant::host
{
namespace
{
constexpr int block = 32; // columns that are eliminated at once

// Chooses pivots for columns k0 to k0 + m among the rows from k0 on and exchanges these rows. Returns the inverse of
// the m x m block of pivots, by rows.
std::vector<double> choose_pivots(double *a, int n, int k0, int m, std::vector<int> &pivot)
{
  const std::size_t   width  = n;
  const int           n_rows = n - k0;
  std::vector<double> panel(std::size_t(n_rows) * m), work(m * m), inverse(m * m);
  std::vector<int>    chosen(m), in_place(m);
  int                 info = 0, length = m * m;
  for (int i = 0; i < n_rows; ++i)
    for (int q = 0; q < m; ++q)
      panel[std::size_t(q) * n_rows + i] = a[(k0 + i) * width + k0 + q];
  dgetrf_(&n_rows, &m, panel.data(), &n_rows, chosen.data(), &info);
  for (int p = 0; p < m; ++p)
    {
      pivot[k0 + p] = k0 + chosen[p] - 1;
      if (pivot[k0 + p] != k0 + p)
        std::swap_ranges(&a[(k0 + p) * width], &a[(k0 + p) * width] + n, &a[pivot[k0 + p] * width]);
    }
  std::iota(in_place.begin(), in_place.end(), 1);
  if (info > 0) // a pivot is zero
    return std::vector<double>(m * m, std::numeric_limits<double>::quiet_NaN());
  dgetri_(&m, panel.data(), &n_rows, in_place.data(), work.data(), &length, &info);
  for (int p = 0; p < m; ++p)
    for (int q = 0; q < m; ++q)
      inverse[p * m + q] = panel[std::size_t(q) * n_rows + p];
  return inverse;
}

// row += Σ_p factor[p] panel_p, p < m, n entries each.
void add_rows(int n, int m, const double *factor, const double *panel, double *row)
{
  int p = 0;
  for (; p + 4 <= m; p += 4)
    {
      const double  f0 = factor[p], f1 = factor[p + 1], f2 = factor[p + 2], f3 = factor[p + 3];
      const double *p0 = panel + std::size_t(p) * n, *p1 = p0 + n, *p2 = p1 + n, *p3 = p2 + n;
      if (f0 == 0. && f1 == 0. && f2 == 0. && f3 == 0.)
        continue;
#pragma omp simd
      for (int j = 0; j < n; ++j)
        row[j] += f0 * p0[j] + f1 * p1[j] + f2 * p2[j] + f3 * p3[j];
    }
  for (; p < m; ++p)
    for (int j = 0; j < n; ++j)
      row[j] += factor[p] * panel[std::size_t(p) * n + j];
}

// One step of block Gauss-Jordan elimination, with the pivots K = k0, ..., k0 + m - 1, whose block has the inverse S:
// A_Kj <- S A_Kj, A_ij <- A_ij - A_iK S A_Kj, A_iK <- -A_iK S, A_KK <- S.
void eliminate(double *a, int n, int k0, int m, const std::vector<double> &S, int n_threads)
{
  const std::size_t width = n;
  Array<double>     panel(width * m, 0.);
#pragma omp parallel num_threads(n_threads)
  {
#pragma omp for schedule(static)
    for (int p = 0; p < m; ++p)
      {
        add_rows(n, m, &S[p * m], &a[k0 * width], &panel[p * width]);
        std::copy_n(&S[p * m], m, &panel[p * width + k0]);
      }
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i)
      {
        double *row = &a[i * width];
        if (i >= k0 && i < k0 + m)
          std::copy_n(&panel[(i - k0) * width], n, row);
        else
          {
            double factor[block];
            for (int p = 0; p < m; ++p)
              factor[p] = -std::exchange(row[k0 + p], 0.);
            add_rows(n, m, factor, panel.data(), row);
          }
      }
  }
}
} // namespace

void invert(double *a, int n, int n_threads)
{
  const std::size_t width = n;
  std::vector<int>  pivot(n);
  for (int k0 = 0; k0 < n; k0 += block)
    {
      const int m = std::min(block, n - k0);
      eliminate(a, n, k0, m, choose_pivots(a, n, k0, m, pivot), n_threads);
    }
    // Rows of the matrix were exchanged: so are columns of the inverse.
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int i = 0; i < n; ++i)
    for (int k = n - 1; k >= 0; --k)
      std::swap(a[i * width + k], a[i * width + pivot[k]]);
}
} // namespace adamant::host
