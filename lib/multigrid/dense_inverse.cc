#include "base/exceptions.h"
#include "multigrid/coarse_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// LAPACK, by columns.
extern "C" {
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *pivot, double *work, const int *lwork, int *info);
}

namespace adamant
{
namespace
{
constexpr int block = 32; // columns that are eliminated at once

[[noreturn]] void fail_singular(const std::string &how)
{
  throw RunError("coarsest level: its matrix cannot be inverted (" + how +
                 "); does the problem lack boundary conditions?");
}

// The largest sum of the absolute values of a row, or NaN where there is one.
template <typename Value>
double largest_row_sum(int n, const Value &row)
{
  double largest = 0;
  for (int i = 0; i < n; ++i)
    {
      double sum = 0;
      for (const double value : row(i))
        sum += std::abs(value);
      if (std::isnan(sum))
        return sum;
      largest = std::max(largest, sum);
    }
  return largest;
}

struct Row
{
  const double *first, *last;
  const double *begin() const { return first; }
  const double *end() const { return last; }
};

// Chooses pivots for columns k0 to k0 + m among the rows from k0 on, exchanges these rows, and gives the inverse of the
// m x m block of pivots, by rows.
std::vector<double> choose_pivots(Array<double> &a, int n, int k0, int m, std::vector<int> &pivot)
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
  if (info > 0)
    fail_singular("it is singular at row " + std::to_string(k0 + info - 1));
  for (int p = 0; p < m; ++p)
    {
      pivot[k0 + p] = k0 + chosen[p] - 1;
      if (pivot[k0 + p] != k0 + p)
        std::swap_ranges(&a[(k0 + p) * width], &a[(k0 + p) * width] + n, &a[pivot[k0 + p] * width]);
    }
  std::iota(in_place.begin(), in_place.end(), 1);
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
void eliminate(Array<double> &a, int n, int k0, int m, const std::vector<double> &S)
{
  const std::size_t width = n;
  Array<double>     panel(width * m, 0.);
#pragma omp parallel
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

Array<double> dense_inverse(const CSRMatrix<double> &matrix)
{
  const int         n     = matrix.n_rows;
  const std::size_t width = n;
  if (matrix.n_cols != n)
    throw RunError("coarsest level: its unknowns are spread over several ranks, but its inverse needs them on one");
  const double *values = matrix.value.data();
  const double  norm   = largest_row_sum(n, [&](int i) {
    return Row{values + matrix.row_start[i], values + matrix.row_start[i + 1]};
  });
  if (!std::isfinite(norm))
    fail_singular("it has values that are no numbers");
  Array<double> a(width * n, 0.);
  for (int i = 0; i < n; ++i)
    for (auto k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      a[i * width + matrix.column[k]] = matrix.value[k];

  std::vector<int> pivot(n);
  for (int k0 = 0; k0 < n; k0 += block)
    {
      const int m = std::min(block, n - k0);
      eliminate(a, n, k0, m, choose_pivots(a, n, k0, m, pivot));
    }
    // Rows of the matrix were exchanged: so are columns of the inverse.
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    for (int k = n - 1; k >= 0; --k)
      std::swap(a[i * width + k], a[i * width + pivot[k]]);

  const double condition = norm * largest_row_sum(n, [&](int i) {
                             return Row{a.data() + i * width, a.data() + (i + 1) * width};
                           });
  if (!(condition < 1e14))
    {
      std::ostringstream text;
      text << "its condition number is about " << condition;
      fail_singular(text.str());
    }
  return a;
}
} // namespace adamant
