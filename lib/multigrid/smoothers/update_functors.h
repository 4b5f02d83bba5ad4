#pragma once

#include "algebra/cell_matrix.h"
#include "algebra/compressed_rows.h"
#include "base/host_device.h"
#include "multigrid/options.h"
#include "multigrid/smoothers/patch/small_dense.h"

// Functors for Device::for_each: the data that smoothers and coarse solvers compute anew where the values of a matrix
// change on the device.

namespace adamant
{
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
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        block[i * m + j] = A.entry(node * m + i, node * m + j);
    const bool regular = invert_small(block, m);
    for (int k = 0; k < m * m; ++k)
      inverse[static_cast<long>(k) * n_nodes + node] = regular ? static_cast<Number>(block[k]) : Number(NAN);
  }
};

/// Computes the inverses of InvertNodeBlocks for a matrix by cells, which has 3 rows a node. node_size is 1, for the
/// diagonal alone, or 3.
template <typename Number>
struct InvertCellBlocks
{
  CellMatrixView A;
  int            node_size;
  Number        *inverse;

  ADAMANT_HOST_DEVICE void operator()(int node) const
  {
    const int n_nodes = A.n_nodes[0] * A.n_nodes[1] * A.n_nodes[2];
    double    block[9];
    A.diagonal_block(node, block);
    if (node_size == 1)
      for (int c = 0; c < 3; ++c)
        inverse[3 * node + c] = static_cast<Number>(1. / block[4 * c]);
    else
      {
        const bool regular = invert_small(block, 3);
        for (int k = 0; k < 9; ++k)
          inverse[static_cast<long>(k) * n_nodes + node] = regular ? static_cast<Number>(block[k]) : Number(NAN);
      }
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

/// Writes row i of A to a dense matrix, row-major. With a kernel e, it writes row i of A + c e eᵀ, see dense_inverse.
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
    for (int j = 0; j < A.n_rows; ++j)
      row[j] = kernel.has(i) && kernel.has(j) ? trace / n_ones / n_ones : 0.;
    for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      row[A.column[k]] += A.value[k];
  }
};
} // namespace adamant
