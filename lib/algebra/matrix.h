#pragma once

#include "algebra/device.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace adamant
{
class CompressedRows;

/// This rank's rows of a matrix on a device: sparse in the device's own format (host/sparse_matrix.h, cuda/sparse.cuh),
/// or dense. A RowlessMatrix stores no entries. A Matrix is a handle: copies mean the same matrix.
template <typename Number>
class Matrix
{
public:
  Matrix() = default;
  /// Makes a sparse matrix of the rows of `source`. Each `node_size` rows belong to one node: this is a hint for the
  /// format, and operations by node need it.
  Matrix(const Device &device, const CSRMatrix<double> &source, int node_size = 1)
    : matrix(device.interface().operations(Number()).create_matrix(source, node_size, nullptr))
  {}
  /// Makes a sparse matrix with this pattern and the values of `rows`, which will change. The format makes use of rows
  /// that repeat each other, as they do on uniform parts of a mesh. New values that do not repeat so make `update`
  /// store each of them.
  Matrix(const Device &device, const CSRMatrix<double> &pattern, const CompressedRows &rows, int node_size = 1);
  /// Makes a handle of the given storage of any kind of matrix; for lib/algebra.
  explicit Matrix(std::shared_ptr<MatrixStorage<Number>> storage)
    : matrix(std::move(storage))
  {}
  /// Makes a matrix whose entries products make of `source`, with the values that it has now.
  Matrix(const Device &device, const RowlessMatrix &source);
  /// Returns a dense square matrix of n rows from row-major values in host memory.
  static Matrix dense(const Device &device, const Array<double> &row_major, int n)
  {
    Matrix A;
    A.matrix = device.interface().operations(Number()).create_dense_matrix(row_major, n);
    return A;
  }

  int n_rows() const { return matrix ? matrix->n_rows : 0; }
  int n_cols() const { return matrix ? matrix->n_cols : 0; }
  int node_size() const { return matrix ? matrix->node_size : 1; }

  void update(const CSRMatrix<double> &source) { matrix->update(source); } ///< new values on the same pattern
  void update_dense(const Array<double> &row_major) { matrix->update_dense(row_major); }
  /// Takes new values in device memory, of a matrix that was made of compressed rows, or row-major ones of a dense
  /// matrix. Addresses stay and graphs are valid, but for the one time that the format changes. The update of a sparse
  /// matrix waits.
  /// @{
  void update(const CompressedRows &rows);
  void update_dense(const Vector<double> &row_major);
  /// @}
  void update(const RowlessMatrix &source) { matrix->update_from(source); } ///< takes the values that it has now

  std::size_t bytes() const { return matrix->bytes(); } ///< of the device's memory
  /// Returns a description in words, e.g. "runs of 3, 16-bit offsets in 98% of the slices, ...".
  std::string format() const { return matrix->format(); }

  const MatrixStorage<Number> &storage() const { return *matrix; }

private:
  std::shared_ptr<MatrixStorage<Number>> matrix;
};
} // namespace adamant
