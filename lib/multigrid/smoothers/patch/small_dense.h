#pragma once

#include "base/host_device.h"

#include <cmath>

// Small dense matrices on the host and the GPU, such as the block of a node or the local matrix of a row.

namespace adamant
{
/// The most rows of a node.
constexpr int most_node_rows = 8;

/// Inverts the n x n matrix a (row-major), n <= most_node_rows, in place by Gauss-Jordan elimination with row pivoting.
/// Returns false where the matrix is singular or a pivot is no finite number.
ADAMANT_HOST_DEVICE inline bool invert_small(double *a, int n)
{
  int        pivot[most_node_rows];
  const auto exchange = [](double &x, double &y) {
    const double z = x;
    x              = y;
    y              = z;
  };
  for (int k = 0; k < n; ++k)
    {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
          p = i;
      pivot[k] = p;
      if (!(fabs(a[p * n + k]) > 0) || !(fabs(a[p * n + k]) < HUGE_VAL))
        return false;
      for (int j = 0; j < n && p != k; ++j)
        exchange(a[k * n + j], a[p * n + j]);
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
        exchange(a[i * n + k], a[i * n + pivot[k]]);
  return true;
}

/// Solves a y = e_m, the last unit vector, by Cholesky factorisation in place. The m x m matrix is symmetric positive
/// definite; `a` holds its lower triangle, with entry (i, j) at i (i + 1) / 2 + j. Returns false where the matrix is
/// not positive definite.
ADAMANT_HOST_DEVICE inline bool solve_last_unit(double *a, int m, double *y)
{
  const auto row = [a](int i) { return a + i * (i + 1) / 2; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j)
      {
        double sum = row(i)[j];
        for (int k = 0; k < j; ++k)
          sum -= row(i)[k] * row(j)[k];
        if (i == j && !(sum > 0))
          return false;
        row(i)[j] = i == j ? sqrt(sum) : sum / row(j)[j];
      }
  // The forward substitution leaves only the last entry.
  for (int i = 0; i < m; ++i)
    y[i] = 0.;
  y[m - 1] = 1. / row(m - 1)[m - 1];
  for (int i = m - 1; i >= 0; --i)
    {
      double sum = y[i];
      for (int k = i + 1; k < m; ++k)
        sum -= row(k)[i] * y[k];
      y[i] = sum / row(i)[i];
    }
  return true;
}
} // namespace adamant
