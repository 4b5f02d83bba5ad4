#pragma once

#include "algebra/device.h"
#include "algebra/several.h"
#include "base/csr_matrix.h"
#include "base/host_device.h"
#include "operators/linear_operator.h"

#include <cstddef>
#include <cstdint>

namespace adamant
{
/// Y = a A X + b Z for r columns, W of them at a time, whose sums stay in registers: index i chunks + c is row i and
/// the columns from c W on. A is in compressed rows, X, Y and Z are row-major; b = 0: Z is not read. Z may be Y.
/// `whole`: r is a multiple of W.
template <typename Number, int W>
struct MultiplyColumns
{
  int                 n_columns, chunks;
  bool                whole;
  const std::int64_t *row_start;
  const int          *column;
  const Number       *value, *x;
  Number              a, b;
  const Number       *z;
  Number             *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int         i = index / chunks, first = (index - i * chunks) * W;
    const std::size_t own = std::size_t(i) * n_columns + first;
    if (whole)
      {
        Several<Number, W> sum = {};
        for (std::int64_t k = row_start[i]; k < row_start[i + 1]; ++k)
          {
            const Number factor = value[k];
            const auto   from   = Several<Number, W>::at(x + std::size_t(column[k]) * n_columns + first);
            for (int j = 0; j < W; ++j)
              sum.v[j] += factor * from.v[j];
          }
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
        return;
      }
    for (int j = 0; j < W && first + j < n_columns; ++j)
      {
        Number sum = 0;
        for (std::int64_t k = row_start[i]; k < row_start[i + 1]; ++k)
          sum += value[k] * x[std::size_t(column[k]) * n_columns + first + j];
        y[own + j] = b == Number(0) ? a * sum : a * sum + b * z[own + j];
      }
  }
};

/// d = alpha d + beta (b - t) / diagonal, x += d for W of r columns: a step of a polynomial in D⁻¹A from t = A x;
/// first: d = beta b / diagonal and x = d. Index i r / W + group.
template <typename Number, int W>
struct ColumnStep
{
  int           n_columns;
  bool          first;
  Number        alpha, beta;
  const Number *b, *t, *diagonal;
  Number       *d, *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const std::size_t  at     = std::size_t(index) * W;
    const Number       factor = beta / diagonal[n_columns == W ? index : index / (n_columns / W)];
    const auto         load   = Several<Number, W>::at(b + at);
    Several<Number, W> step;
    if (first)
      for (int j = 0; j < W; ++j)
        step.v[j] = factor * load.v[j];
    else
      {
        const auto product = Several<Number, W>::at(t + at), old = Several<Number, W>::at(d + at);
        for (int j = 0; j < W; ++j)
          step.v[j] = factor * (load.v[j] - product.v[j]) + alpha * old.v[j];
      }
    step.to(d + at);
    if (!first)
      {
        const auto old = Several<Number, W>::at(x + at);
        for (int j = 0; j < W; ++j)
          step.v[j] += old.v[j];
      }
    step.to(x + at);
  }
};

/// A sparse matrix for products with several vectors at once: its bytes are read once for all of them. Vectors are the
/// flat ones of MultiVector, n_rows x n_columns row by row.
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

  /// Y = a A X + b Z for r columns; b = 0: Z is not read. Z may be Y.
  void multiply(int r, Number a, const Vector<Number> &X, Number b, const Vector<Number> &Z, Vector<Number> &Y) const
  {
    // On a GPU a thread for each entry or for a few that are loaded together; on the host a few, which share the row.
    if (device.asynchronous() && r % columns_at_once != 0)
      multiply<1>(r, a, X, b, Z, Y);
    else
      multiply<columns_at_once>(r, a, X, b, Z, Y);
  }

private:
  template <int W>
  void multiply(int r, Number a, const Vector<Number> &X, Number b, const Vector<Number> &Z, Vector<Number> &Y) const
  {
    const int chunks = (r + W - 1) / W;
    device.for_each(rows * chunks, MultiplyColumns<Number, W>{r, chunks, r % W == 0, row_start.data(), column.data(),
                                                              value.data(), X.data(), a, b, Z.data(), Y.data()});
  }

  Device             device;
  int                rows = 0, columns = 0;
  List<std::int64_t> row_start;
  List<int>          column;
  List<Number>       value;
};

/// The block-diagonal operator of r blocks A on flat vectors of r columns: what Krylov methods solve r systems with.
class ColumnOperator : public LinearOperator
{
public:
  ColumnOperator(const ColumnMatrix<double> &A, int n_columns)
    : A(A)
    , r(n_columns)
  {}
  int  n_rows() const override { return A.n_rows() * r; }
  int  n_cols() const override { return A.n_cols() * r; }
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
