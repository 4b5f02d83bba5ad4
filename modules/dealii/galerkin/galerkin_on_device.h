#pragma once

#include "algebra/compressed_rows.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"

#include <memory>

namespace adamant
{
/// Computes the values of C = R A P, R = Pᵀ, in the memory of a device, for matrices A of one pattern. Each rank has
/// its rows, and all ranks call everything together. Sums have a fixed order.
class GalerkinOnDevice
{
public:
  /// Takes P and R, and the pattern of A P, whose columns may come in any order; all are in host memory. On ranks P has
  /// the rows of A's ghosts, too.
  GalerkinOnDevice(const Device &device, const CSRMatrix<double> &P, const CSRMatrix<double> &R,
                   const CSRMatrix<double> &AP);
  /// Takes what ranks need: this rank's part of C, and the matrix that sums the values of all parts to the values of C.
  /// In rows where R has no entries, the values of the part stay.
  void set_part(const CSRMatrix<double> &part, const CSRMatrix<double> &summation);

  /// Sets the values of C, which has the pattern of R A P, from the values of A.
  void compute(const CompressedRows &A, CompressedRows &C);

private:
  Device                          device;
  CompressedRows                  P, R;
  int                             n_rows; // of A P
  List<EntryNumber>               row_start;
  List<int>                       column;
  Vector<double>                  values;
  std::unique_ptr<CompressedRows> part;
  Matrix<double>                  sum;
};

/// Returns a copy of `matrix` in the memory of a device.
CompressedRows rows_on_device(const Device &device, const CSRMatrix<double> &matrix);
} // namespace adamant
