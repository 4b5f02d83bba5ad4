#include "multigrid/smoothers/setup.h"

#include "base/exceptions.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <string>

namespace adamant
{
namespace
{
// Inverts the n x n matrix a (row-major, leading dimension n) in place by Gauss-Jordan elimination with row pivoting.
bool invert_small(double *a, int n)
{
  std::vector<int> pivot(n);
  for (int k = 0; k < n; ++k)
    {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(a[i * n + k]) > std::abs(a[p * n + k]))
          p = i;
      pivot[k] = p;
      if (!(std::abs(a[p * n + k]) > 0) || !std::isfinite(a[p * n + k]))
        return false;
      if (p != k)
        std::swap_ranges(a + k * n, a + (k + 1) * n, a + p * n);
      const double inverse = 1. / a[k * n + k];
      a[k * n + k]         = 1.;
      for (int j = 0; j < n; ++j)
        a[k * n + j] *= inverse;
      for (int i = 0; i < n; ++i)
        if (i != k)
          {
            const double factor = a[i * n + k];
            a[i * n + k]        = 0.;
            for (int j = 0; j < n; ++j)
              a[i * n + j] -= factor * a[k * n + j];
          }
    }
  for (int k = n - 1; k >= 0; --k)
    if (pivot[k] != k)
      for (int i = 0; i < n; ++i)
        std::swap(a[i * n + k], a[i * n + pivot[k]]);
  return true;
}

// Solves a y = e_last for symmetric positive definite a (row-major m x m, overwritten) by Cholesky; y in `y`.
bool solve_last_unit(double *a, int m, double *y)
{
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j)
      {
        double sum = a[i * m + j];
        for (int k = 0; k < j; ++k)
          sum -= a[i * m + k] * a[j * m + k];
        if (i == j && !(sum > 0))
          return false;
        a[i * m + j] = i == j ? std::sqrt(sum) : sum / a[j * m + j];
      }
  // The forward substitution leaves only the last entry.
  std::fill(y, y + m, 0.);
  y[m - 1] = 1. / a[m * m - 1];
  for (int i = m - 1; i >= 0; --i)
    {
      double sum = y[i];
      for (int k = i + 1; k < m; ++k)
        sum -= a[k * m + i] * y[k];
      y[i] = sum / a[i * m + i];
    }
  return true;
}

// Remembers one failing row of a parallel loop, the smallest.
void remember_smallest(std::atomic<int> &failed, int row)
{
  int old = failed;
  while (row < old && !failed.compare_exchange_weak(old, row))
    {}
}
} // namespace

Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size)
{
  const int        bs = node_size, n_nodes = matrix.n_rows / bs;
  Array<double>    blocks(static_cast<std::size_t>(matrix.n_rows) * bs);
  std::atomic<int> failed{matrix.n_rows};
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    {
      std::vector<double> block(bs * bs);
      for (int i = 0; i < bs; ++i)
        for (int j = 0; j < bs; ++j)
          block[i * bs + j] = entry(matrix, node * bs + i, node * bs + j);
      if (!invert_small(block.data(), bs))
        remember_smallest(failed, node * bs);
      for (int k = 0; k < bs * bs; ++k)
        blocks[static_cast<std::size_t>(k) * n_nodes + node] = block[k];
    }
  if (failed < matrix.n_rows)
    throw RunError("Jacobi smoother: the diagonal block of row " + std::to_string(failed) +
                   " is singular; is an unknown without an equation, or a coefficient zero or NaN?");
  return blocks;
}

CSRMatrix<double> fsai_factor(const CSRMatrix<double> &A)
{
  CSRMatrix<double> G;
  G.n_rows = A.n_rows;
  G.n_cols = A.n_rows; // other ranks' unknowns are left out
  G.row_start.resize(A.n_rows + 1);
  const auto first_above = [&A](int i) {
    return std::upper_bound(A.column.data() + A.row_start[i], A.column.data() + A.row_start[i + 1], i) -
           A.column.data();
  };
  for (int i = 0; i < A.n_rows; ++i)
    G.row_start[i + 1] = first_above(i) - A.row_start[i];
  finish_row_starts(G);

  std::atomic<int> failed{A.n_rows};
#pragma omp parallel
  {
    std::vector<double> local, y;
#pragma omp for schedule(static)
    for (int i = 0; i < A.n_rows; ++i)
      {
        const int  m    = static_cast<int>(G.row_start[i + 1] - G.row_start[i]);
        const int *cols = A.column.data() + A.row_start[i];
        local.resize(m * m);
        y.resize(m);
        for (int p = 0; p < m; ++p)
          for (int q = 0; q <= p; ++q)
            local[p * m + q] = 0.5 * (entry(A, cols[p], cols[q]) + entry(A, cols[q], cols[p]));
        if (m == 0 || cols[m - 1] != i || !solve_last_unit(local.data(), m, y.data()))
          {
            remember_smallest(failed, i);
            continue;
          }
        for (int p = 0; p < m; ++p)
          {
            G.column[G.row_start[i] + p] = cols[p];
            G.value[G.row_start[i] + p]  = y[p] / std::sqrt(y[m - 1]);
          }
      }
  }
  if (failed < A.n_rows)
    throw RunError("FSAI smoother: the matrix is not positive definite at row " + std::to_string(failed) +
                   "; use the Jacobi smoother for this problem");
  return G;
}

Array<double> start_vector(int n)
{
  Array<double> x(n);
  std::mt19937  generator(1);
  for (double &value : x)
    value = 2. * (generator() + 0.5) / 4294967296. - 1.; // the same numbers with every standard library
  return x;
}
} // namespace adamant
