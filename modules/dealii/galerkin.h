#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/ranks/distributed_rows.h"
#include "operators/level_data.h"

#include <memory>

namespace adamant
{
/// Computes the matrices R A P of a coarser level, R = Pᵀ, for matrices A of one pattern. All is in host memory; each
/// rank has its rows, and all ranks call everything together. Sums have a fixed order, so that results repeat to the
/// bit for any number of threads.
class GalerkinProduct
{
public:
  /// `is_free` says for each coarse DoF that this rank owns whether it is an unknown; others get rows of the identity.
  GalerkinProduct(SharedMatrix P, SharedMatrix R, Array<char> is_free);

  /// Returns R A P, with every entry that the patterns allow.
  CSRMatrix<double> compute(const CSRMatrix<double> &A);
  /// Sets C = R A P, where `C` has come from compute() for a matrix of the same pattern.
  void update(const CSRMatrix<double> &A, CSRMatrix<double> &C);

private:
  void              fetch_rows(const CSRMatrix<double> &A);
  CSRMatrix<double> make_part(const CSRMatrix<double> &A) const;
  SharedMatrix      fine_rows() const { return rows_of_P ? rows_of_P : P; }
  SharedMatrix      fine_columns() const { return columns_of_P ? columns_of_P : R; }

  SharedMatrix      P, R;
  Array<char>       is_free;
  CSRMatrix<double> AP; // once values have changed
  // On ranks: P with the rows of A's ghosts, the transpose of its own rows, and this rank's part of R A P.
  SharedMatrix                       rows_of_P, columns_of_P;
  CSRMatrix<double>                  part;
  std::shared_ptr<const Partitioner> columns; // of rows_of_P
  SharedMatrix                       summed;  // the matrix of summation(), once values have changed
};
} // namespace adamant
