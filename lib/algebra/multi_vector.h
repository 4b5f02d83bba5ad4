#pragma once

#include "algebra/dense_products.h"
#include "algebra/multi_vector_functors.h"
#include "algebra/vector.h"

#include <algorithm>

namespace adamant
{
/// r vectors of one device, the columns of an n x r matrix that is stored row by row: entry i of column s is number i r
/// + s of `flat`. As one vector of n r entries it is what Krylov methods take: r systems with a matrix A are one with
/// the block-diagonal matrix of r blocks A.
template <typename Number>
class MultiVector
{
public:
  MultiVector() = default;
  MultiVector(const Device &device, int n_rows, int n_columns) ///< zeros
    : flat(device, to_index(std::size_t(n_rows) * n_columns, "entries of right-hand sides"))
    , n_rows(n_rows)
    , n_columns(n_columns)
  {}

  Vector<Number> flat;
  int            n_rows = 0, n_columns = 0;
};

/// The squares of the norms of columns, and what they scale.
class ColumnNorms
{
public:
  ColumnNorms() = default;
  ColumnNorms(const Device &device, int n_rows, int n_columns)
    : device(device)
    , n_rows(n_rows)
    , n_columns(n_columns)
    , n_parts(std::min(n_rows, std::min(1024, std::max(1, 32768 / n_columns))))
    , squares(device, n_columns)
    , sums(device, n_columns == 1 ? 1 : n_parts * n_columns)
  {
    if (n_columns == 1)
      scalar = Scalars(device, 1);
  }

  /// Of the columns of x, n_rows x n_columns; in device memory until the next call.
  const double *operator()(const Vector<double> &x)
  {
    if (n_columns == 1)
      {
        device.dot(x, x, scalar, 0);
        return scalar.data();
      }
    device.for_each(n_parts * n_columns, PartialSquares{n_rows, n_columns, n_parts, x.data(), sums.data()});
    device.for_each(n_columns, SumParts{n_columns, n_parts, sums.data(), squares.data()});
    return squares.data();
  }
  /// The norms on the host; waits.
  Array<double> fetch(const Vector<double> &x)
  {
    Vector<double> copy(device, n_columns);
    device.for_each(n_columns, SquareRoots{(*this)(x), copy.data()});
    return to_host(copy);
  }

private:
  Device         device;
  int            n_rows = 0, n_columns = 0, n_parts = 0;
  Vector<double> squares, sums;
  Scalars        scalar;
};
} // namespace adamant
