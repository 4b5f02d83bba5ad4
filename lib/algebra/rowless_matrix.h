#pragma once

#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"

#include <memory>

namespace adamant
{
/// A square matrix that stores no entries: products make them of other data, which may change. A module derives its
/// kind of matrix from this class. On the host its storage is a host::RowProducts, on a GPU a cuda::RowlessStorage.
class RowlessMatrix
{
public:
  virtual ~RowlessMatrix() = default;

  virtual int                 n_rows() const = 0;
  virtual CSRMatrix<double>   rows() const   = 0; ///< returns the entries with their present values, in host memory
  virtual const ExchangePlan *ghosts() const { return nullptr; } ///< of the columns; null on one rank

  /// Returns the matrix on a device, with its present values, in the precision of the last argument.
  /// @{
  virtual std::shared_ptr<MatrixStorage<double>> make_storage(const Device &device, double) const = 0;
  virtual std::shared_ptr<MatrixStorage<float>>  make_storage(const Device &device, float) const  = 0;
  /// @}

  /// Computes the inverses of the diagonal blocks of nodes of node_size rows, in device memory. Entry (i, j) of a
  /// node's block goes to [(i node_size + j) n_nodes + node]. The inverse of a singular block is NaN or infinity.
  /// @{
  virtual void invert_diagonal(int node_size, Vector<double> &inverse) const = 0;
  virtual void invert_diagonal(int node_size, Vector<float> &inverse) const  = 0;
  /// @}
};

template <typename Number>
Matrix<Number>::Matrix(const Device &device, const RowlessMatrix &source)
  : matrix(source.make_storage(device, Number()))
{}
} // namespace adamant
