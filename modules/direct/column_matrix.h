#pragma once

#include "algebra/device.h"
#include "base/csr/csr_matrix.h"
#include "base/host_device.h"
#include "operators/linear_operator.h"
#include "tensor/several.h"

#include <cstddef>
#include <cstdint>

namespace adamant
{
/// The matrix A in compressed rows.
template <typename Number>
struct ColumnRows
{
  const std::int64_t *row_start;
  const int          *column;
  const Number       *value;

  /// Returns row i of A X for the columns first, ..., first + W - 1 of n_columns; X is row-major. It loads several
  /// entries at a time, since a loop of unknown length waits for each load.
  template <int W>
  ADAMANT_HOST_DEVICE Several<Number, W> multiply(int i, int n_columns, int first, const Number *x) const
  {
    constexpr int      at_once = 4;
    const auto         end     = row_start[i + 1];
    Several<Number, W> sum     = {};
    for (auto k = row_start[i]; k < end; k += at_once)
      {
        Several<Number, W> x_of[at_once]  = {};
        Number             entry[at_once] = {};
#pragma unroll
        for (int e = 0; e < at_once; ++e)
          if (k + e < end)
            {
              entry[e] = value[k + e];
              x_of[e]  = Several<Number, W>::at(x + std::size_t(column[k + e]) * n_columns + first);
            }
#pragma unroll
        for (int e = 0; e < at_once; ++e)
          for (int j = 0; j < W; ++j)
            sum.v[j] += entry[e] * x_of[e].v[j];
      }
    return sum;
  }
};

/// Computes Y = a A X + b Z for r columns, W of them at a time, whose sums stay in registers. With b = 0 it does not
/// read Z. Z may be Y.
template <typename Number, int W>
struct MultiplyColumns
{
  ColumnTiles<W>     tiles;
  ColumnRows<Number> A;
  const Number      *x;
  Number             a, b;
  const Number      *z;
  Number            *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    int i, first;
    if (!tiles.find(index, i, first))
      return;
    const std::size_t own = std::size_t(i) * tiles.n_columns + first;
    auto              sum = A.template multiply<W>(i, tiles.n_columns, first, x);
    if (b == Number(0))
      for (int j = 0; j < W; ++j)
        sum.v[j] = a * sum.v[j];
    else
      {
        const auto old = Several<Number, W>::at(z + own);
        for (int j = 0; j < W; ++j)
          sum.v[j] = a * sum.v[j] + b * old.v[j];
      }
    sum.to(y + own);
  }
};

/// A step of a polynomial in D⁻¹A for W of r columns: d = alpha d + beta (b - A x) / diagonal, y = x + d. The first
/// step, from zero, is d = y = beta b / diagonal.
template <typename Number, int W>
struct ColumnStep
{
  ColumnTiles<W>     tiles;
  bool               from_zero;
  ColumnRows<Number> A;
  Number             alpha, beta;
  const Number      *b, *diagonal, *x;
  Number            *d, *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    int i, first;
    if (!tiles.find(index, i, first))
      return;
    const std::size_t own    = std::size_t(i) * tiles.n_columns + first;
    const Number      factor = beta / diagonal[i];
    auto              step   = Several<Number, W>::at(b + own);
    if (from_zero)
      for (int j = 0; j < W; ++j)
        step.v[j] *= factor;
    else
      {
        const auto product = A.template multiply<W>(i, tiles.n_columns, first, x),
                   old     = Several<Number, W>::at(d + own);
        for (int j = 0; j < W; ++j)
          step.v[j] = factor * (step.v[j] - product.v[j]) + alpha * old.v[j];
      }
    step.to(d + own);
    if (!from_zero)
      {
        const auto old = Several<Number, W>::at(x + own);
        for (int j = 0; j < W; ++j)
          step.v[j] += old.v[j];
      }
    step.to(y + own);
  }
};

/// A sparse matrix for products with several vectors at once: a product reads the matrix once for all vectors. Vectors
/// are the flat ones of multi_vector.h, n_rows x n_columns row by row.
template <typename Number>
class ColumnMatrix
{
public:
  ColumnMatrix() = default;
  ColumnMatrix(const Device &device, const CSRMatrix<double> &source)
    : device(device)
    , rows(source.n_rows)
    , columns(source.n_cols)
    , row_start(device, source.row_start)
    , column(device, source.column)
    , value(device, Array<Number>(source.value.begin(), source.value.end()))
  {}

  int         n_rows() const { return rows; }
  int         n_cols() const { return columns; }
  std::size_t bytes() const
  {
    return std::size_t(value.size()) * (sizeof(Number) + sizeof(int)) + (rows + 1) * sizeof(std::int64_t);
  }

  /// Computes Y = a A X + b Z for r columns. With b = 0 it does not read Z. Z may be Y.
  void multiply(int r, Number a, const Vector<Number> &X, Number b, const Vector<Number> &Z, Vector<Number> &Y) const
  {
    with_columns_at_once<Number>(r, [&](auto W) {
      const ColumnTiles<W> tiles{rows, r};
      device.for_each(tiles.size(), MultiplyColumns<Number, W>{tiles, view(), X.data(), a, b, Z.data(), Y.data()});
    });
  }
  ColumnRows<Number> view() const { return {row_start.data(), column.data(), value.data()}; } ///< for functors

private:
  Device             device;
  int                rows = 0, columns = 0;
  List<std::int64_t> row_start;
  List<int>          column;
  List<Number>       value;
};

/// The block-diagonal operator of r blocks A on flat vectors of r columns, with which Krylov methods solve r systems.
class ColumnOperator : public LinearOperator
{
public:
  ColumnOperator(const ColumnMatrix<double> &A, int n_columns)
    : A(A)
    , r(n_columns)
  {}
  int  n_rows() const override { return A.n_rows() * r; }
  int  n_cols() const override { return A.n_cols() * r; }
  bool recordable() const override { return true; }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override
  {
    A.multiply(r, a, x, b, y, y);
  }
  void residual(const Vector<double> &x, const Vector<double> &b, Vector<double> &y) const override
  {
    A.multiply(r, -1., x, 1., b, y);
  }

private:
  const ColumnMatrix<double> &A;
  int                         r;
};
} // namespace adamant
