#pragma once

#include "algebra/device.h"
#include "base/csr_matrix.h"
#include "base/host_device.h"
#include "operators/linear_operator.h"

#include <cstddef>
#include <cstdint>

namespace adamant
{
/// Y = a A X + b Z for r columns, `width` of them at a time, whose sums stay in registers: index i chunks + c is row i
/// and the columns from c width on. A is in compressed rows, X, Y and Z are row-major; b = 0: Z is not read. Z may be Y.
template <typename Number, int width>
struct MultiplyColumns
{
  int                 n_columns, chunks;
  const std::int64_t *row_start;
  const int          *column;
  const Number       *value, *x;
  Number              a, b;
  const Number       *z;
  Number             *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    i = index / chunks, first = index % chunks * width;
    const size_t own = std::size_t(i) * n_columns + first;
    Number       sum[width];
    if (first + width <= n_columns)
      row(i, first, width, sum);
    else
      row(i, first, n_columns - first, sum);
    for (int j = 0; j < width && first + j < n_columns; ++j)
      y[own + j] = b == Number(0) ? a * sum[j] : a * sum[j] + b * z[own + j];
  }

private:
  ADAMANT_HOST_DEVICE void row(int i, int first, int n, Number *sum) const
  {
    for (int j = 0; j < n; ++j)
      sum[j] = 0;
    for (std::int64_t k = row_start[i]; k < row_start[i + 1]; ++k)
      {
        const Number *from = x + std::size_t(column[k]) * n_columns + first;
        for (int j = 0; j < n; ++j)
          sum[j] += value[k] * from[j];
      }
  }
};

/// d = alpha d + beta (b - t) / diagonal for r columns: a step's direction from t = A x; first: d = beta b / diagonal.
template <typename Number>
struct ColumnDirection
{
  int           n_columns;
  bool          first;
  Number        alpha, beta;
  const Number *b, *t, *diagonal;
  Number       *d;

  ADAMANT_HOST_DEVICE Number value(int index) const
  {
    const Number r = first ? b[index] : b[index] - t[index];
    return beta * r / diagonal[index / n_columns] + (first ? Number(0) : alpha * d[index]);
  }
  ADAMANT_HOST_DEVICE void store(int index, Number value) const { d[index] = value; }
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
    // On a GPU a thread for each entry, neighbours in memory; on the host a few columns, which share the row.
    if (device.asynchronous())
      multiply<1>(r, a, X, b, Z, Y);
    else
      multiply<8>(r, a, X, b, Z, Y);
  }

private:
  template <int width>
  void multiply(int r, Number a, const Vector<Number> &X, Number b, const Vector<Number> &Z, Vector<Number> &Y) const
  {
    const int chunks = (r + width - 1) / width;
    device.for_each(rows * chunks, MultiplyColumns<Number, width>{r, chunks, row_start.data(), column.data(),
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
