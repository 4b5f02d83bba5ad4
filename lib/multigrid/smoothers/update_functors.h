#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"
#include "multigrid/options.h"

#include <cmath>

// The functors for Device::for_each compute the data of smoothers and coarse solvers anew where the values of a matrix
// change on the device. They use small dense matrices, such as the block of a node or the local matrix of a row.

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

/// Computes the inverse of each node's diagonal block, in the layout of inverse_diagonal_blocks. The inverse of a
/// singular block is NaN, so that the first residual shows it.
template <typename Number>
struct InvertNodeBlocks
{
  RowsView A;
  int      node_size, n_nodes;
  Number  *inverse;

  ADAMANT_HOST_DEVICE void operator()(int node) const
  {
    const int m = node_size;
    double    block[most_node_rows * most_node_rows];
    A.block(node * m, m, block);
    const bool regular = invert_small(block, m);
    for (int k = 0; k < m * m; ++k)
      inverse[static_cast<long>(k) * n_nodes + node] = regular ? static_cast<Number>(block[k]) : Number(NAN);
  }
};

/// Computes the rows of the factor G of A, see fsai_factor. Rows of G have at most `most` entries. Where a local matrix
/// is not positive definite, the row is NaN.
template <int most>
struct FactorRows
{
  RowsView A, G;
  double  *value; ///< of G

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const EntryNumber first = G.row_start[i];
    const int         m     = static_cast<int>(G.row_start[i + 1] - first);
    const int        *cols  = G.column + first;
    double            local[most * (most + 1) / 2], y[most];
    for (int p = 0; p < m; ++p)
      for (int q = 0; q <= p; ++q)
        local[p * (p + 1) / 2 + q] = 0.5 * (A.entry(cols[p], cols[q]) + A.entry(cols[q], cols[p]));
    const bool definite = m > 0 && cols[m - 1] == i && solve_last_unit(local, m, y);
    for (int p = 0; p < m; ++p)
      value[first + p] = definite ? y[p] / sqrt(y[m - 1]) : NAN;
  }
};

/// Sets to[k] = from[place[k]].
struct Permute
{
  const EntryNumber *place;
  const double      *from;
  double            *to;

  ADAMANT_HOST_DEVICE void operator()(int k) const { to[k] = from[place[k]]; }
};

/// Copies entries of `from`, beginning at first[i], to row i of `to`.
struct CopyRows
{
  const EntryNumber *first;
  const double      *from;
  RowsView           to;
  double            *value; ///< of `to`

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const EntryNumber begin = to.row_start[i];
    for (EntryNumber k = begin; k < to.row_start[i + 1]; ++k)
      value[k] = from[first[i] + (k - begin)];
  }
};

/// Adds row i of A, or with a kernel e of A + c e eᵀ (see dense_inverse), to a dense matrix of zeros, row-major.
struct MakeDense
{
  RowsView       A;
  ConstantKernel kernel;
  double        *dense;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double *row = dense + static_cast<long>(i) * A.n_rows, trace = 0., n_ones = 0.;
    for (int j = 0; kernel.has(i) && j < A.n_rows; ++j)
      if (kernel.has(j))
        {
          trace += A.entry(j, j);
          ++n_ones;
        }
    for (int j = 0; kernel.has(i) && j < A.n_rows; ++j)
      if (kernel.has(j))
        row[j] = trace / n_ones / n_ones;
    for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      row[A.column[k]] += A.value[k];
  }
};
} // namespace adamant
