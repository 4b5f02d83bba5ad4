#pragma once

#include "algebra/vector.h"
#include "tensor/eigenpairs.h"
#include "tensor/fast_diagonalization_functors.h"

#include <cstddef>

namespace adamant
{
/// The systems that remain of the Laplacian when the eigenvectors of all directions but one separate it. For each
/// coefficient s of these it solves the tridiagonal system (λ_s M + K) x = w_s b along the last direction, by
/// elimination in double. Even and odd parts are systems of their own. Where a system is singular (λ = 0, natural
/// ends), it applies the pseudo-inverse for constants.
class TridiagonalLines
{
public:
  TridiagonalLines() = default;
  /// `lambda` and `weight` are λ and w of each coefficient, w = 0 where there is none; sums of eigenvalues up to `zero`
  /// are zero.
  TridiagonalLines(const Device &device, const Eigenpairs &last, const FoldedDirection &folded,
                   const Array<double> &lambda, const Array<double> &weight, double zero, int n_columns);

  /// Solves all systems. Row (k parts + p) of `from` and `to` has entry k of part p for all coefficients and columns.
  /// `to` is not `from`.
  void        solve(const double *from, double *to) const;
  std::size_t bytes() const { return sizeof(double) * (inverse.size() + singular_inverse.size()); }

private:
  Device          device;
  FoldedDirection folded;
  int             n_lines = 0, n_columns = 0, singular = -1; // the singular line, or -1
  Vector<double>  lambda, weight, K, M;                      // K and M: of each part's entry and the next one
  Vector<double>  inverse;                                   // of the pivots
  Vector<double>  singular_inverse;                          // a matrix for each part
};
} // namespace adamant
