#pragma once

#include "base/csr/csr_matrix.h"
#include "dealii/galerkin/galerkin_on_device.h"
#include "fem/ranks/distributed_rows.h"
#include "operators/level_data.h"

#include <memory>

namespace adamant
{
/// Computes the matrices R A P of a coarser level, R = Pᵀ, for matrices A of one pattern. All is in host memory, but
/// for values that change on a device. Each rank has its rows, and all ranks call everything together. Sums have a
/// fixed order, so that results repeat to the bit for any number of threads.
class GalerkinProduct
{
public:
  /// `is_free` says for each coarse DoF that this rank owns whether it is an unknown; others get rows of the identity.
  GalerkinProduct(SharedMatrix P, SharedMatrix R, Array<char> is_free);

  /// Returns R A P, with every entry that the patterns allow.
  CSRMatrix<double> compute(const CSRMatrix<double> &A);
  /// Sets C = R A P, where `C` has come from compute() for a matrix of the same pattern.
  void update(const CSRMatrix<double> &A, CSRMatrix<double> &C);
  /// Does this in the memory of a device. `pattern` is that of C, and from now on only this function may be called.
  void update(const Device &device, const CompressedRows &A, const CSRMatrix<double> &pattern, CompressedRows &C);

  /// Returns whether the entries of each matrix that takes part can be counted by int, as a device has to.
  bool fits_device() const;

private:
  void                     fetch_rows(const CSRMatrix<double> &A);
  CSRMatrix<double>        make_part() const;
  const CSRMatrix<double> &summation_of(const CSRMatrix<double> &C);
  SharedMatrix             fine_rows() const { return rows_of_P ? rows_of_P : P; }
  SharedMatrix             fine_columns() const { return columns_of_P ? columns_of_P : R; }

  SharedMatrix      P, R;
  Array<char>       is_free;
  CSRMatrix<double> AP; // kept, as its pattern is dear
  // On ranks: P with the rows of A's ghosts, the transpose of its own rows, and this rank's part of R A P.
  SharedMatrix                       rows_of_P, columns_of_P;
  CSRMatrix<double>                  part;
  std::shared_ptr<const Partitioner> columns; // of rows_of_P
  SharedMatrix                       summed;  // the matrix of summation(), once values have changed
  std::unique_ptr<GalerkinOnDevice>  on_device;
};
} // namespace adamant
