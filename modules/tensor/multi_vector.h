#pragma once

#include "algebra/vector.h"
#include "tensor/dense_products.h"
#include "tensor/multi_vector_functors.h"

#include <algorithm>

namespace adamant
{
/// The columns of an n x r matrix on one device, stored row by row: entry i of column s is number i r + s of `flat`.
/// Krylov methods take it as one vector of n r entries: r systems with a matrix A are one with the block-diagonal
/// matrix of r blocks A.
template <typename Number>
class MultiVector
{
public:
  MultiVector() = default;
  /// Makes columns of zeros.
  MultiVector(const Device &device, int n_rows, int n_columns)
    : flat(device, to_index(std::size_t(n_rows) * n_columns, "entries of right-hand sides"))
    , n_rows(n_rows)
    , n_columns(n_columns)
  {}

  Vector<Number> flat;
  int            n_rows = 0, n_columns = 0;
};

/// The squares of the norms of columns, which also scale columns.
class ColumnNorms
{
public:
  ColumnNorms() = default;
  ColumnNorms(const Device &device, int n_rows, int n_columns)
    : device(device)
    , n_rows(n_rows)
    , n_columns(n_columns)
    , n_parts(std::min(n_rows, std::min(2048, std::max(128, (1 << 17) / n_columns))))
    , squares(device, n_columns)
    , roots(device, n_columns)
    , sums(device, n_columns == 1 ? 1 : n_parts * n_columns)
    , groups(device, n_columns == 1 ? 1 : (n_parts + group - 1) / group * n_columns)
  {
    if (n_columns == 1)
      scalar = Scalars(device, 1);
  }

  /// Returns the squared norms of the columns of x, n_rows x n_columns, in device memory; they stay until the next
  /// call.
  template <typename Number>
  const double *operator()(const Vector<Number> &x)
  {
    if (n_columns == 1)
      {
        device.dot(x, x, scalar, 0);
        return scalar.data();
      }
    device.for_each(n_parts * n_columns, PartialSquares<Number>{n_rows, n_columns, n_parts, x.data(), sums.data()});
    const int n_groups = (n_parts + group - 1) / group;
    device.for_each(n_groups * n_columns, SumParts{n_columns, n_parts, group, sums.data(), groups.data()});
    device.for_each(n_columns, SumParts{n_columns, n_groups, n_groups, groups.data(), squares.data()});
    return squares.data();
  }
  const double *last() const { return n_columns == 1 ? scalar.data() : squares.data(); } ///< last result
  /// Returns the norms on the host; waits for the device.
  template <typename Number>
  Array<double> fetch(const Vector<Number> &x)
  {
    device.for_each(n_columns, SquareRoots{(*this)(x), roots.data()});
    return to_host(roots);
  }

private:
  static constexpr int group = 32;

  Device         device;
  int            n_rows = 0, n_columns = 0, n_parts = 0;
  Vector<double> squares, roots, sums, groups;
  Scalars        scalar;
};
} // namespace adamant
