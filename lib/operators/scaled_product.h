#pragma once

#include "algebra/compressed_rows.h"

#include <memory>

namespace adamant
{
/// K = A diag(d) B on a device, square: A and B stay, each d gives new values on the pattern of A B. Rows of A without
/// entries become rows of the identity, as for constrained unknowns. One rank's matrices, without ghosts.
class ScaledProduct
{
public:
  /// A is n x m, B is m x n, in host memory; they are copied.
  ScaledProduct(const Device &device, const CSRMatrix<double> &A, const CSRMatrix<double> &B);

  void update(const Vector<double> &d); ///< m numbers

  const std::shared_ptr<const CSRMatrix<double>> &pattern() const { return host; } ///< without values
  std::shared_ptr<const CompressedRows>           rows() const { return K; }

private:
  Device                                   device;
  CompressedRows                           A, B;
  std::shared_ptr<const CSRMatrix<double>> host;
  std::shared_ptr<CompressedRows>          K;
};

/// For Device::for_each: row i of K.
struct ScaledProductRow
{
  RowsView      A, B;
  const double *d;
  RowsView      K;
  double       *value; ///< of K

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const bool identity = A.row_start[i] == A.row_start[i + 1];
    for (EntryNumber k = K.row_start[i]; k < K.row_start[i + 1]; ++k)
      value[k] = identity ? 1. : 0.;
    for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      {
        const int    j      = A.column[k];
        const double factor = A.value[k] * d[j];
        for (EntryNumber l = B.row_start[j]; factor != 0. && l < B.row_start[j + 1]; ++l)
          value[K.find(i, B.column[l])] += factor * B.value[l];
      }
  }
};
} // namespace adamant
