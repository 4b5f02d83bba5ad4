#pragma once

#include "algebra/vector.h"
#include "tensor/eigenpairs.h"
#include "tensor/fast_diagonalization_functors.h"

#include <cstddef>

namespace adamant
{
/// What is left of the Laplacian where the eigenvectors of all directions but one separate it: for each coefficient s of
/// those the tridiagonal system (λ_s M + K) x = w_s b along the last direction, by elimination in double; even and odd
/// parts are systems of their own. Where it is singular (λ = 0, natural ends), the pseudo-inverse for constants.
class TridiagonalLines
{
public:
  TridiagonalLines() = default;
  /// λ and w of each coefficient, w = 0 where there is none; sums of eigenvalues up to `zero` are zero.
  TridiagonalLines(const Device &device, const Eigenpairs &last, const FoldedDirection &folded,
                   const Array<double> &lambda, const Array<double> &weight, double zero, int n_columns);

  /// Row (k parts + p) of both: entry k of part p for all coefficients and columns. `to` is not `from`.
  void        solve(const double *from, double *to) const;
  std::size_t bytes() const { return sizeof(double) * (inverse.size() + singular_inverse.size()); }

private:
  Device          device;
  FoldedDirection folded;
  int             n_lines = 0, n_columns = 0, singular = -1; // the line that is, or -1
  Vector<double>  lambda, weight, K, M;                      // K and M: of each part's entry and the next one
  Vector<double>  inverse;                                   // of the pivots
  Vector<double>  singular_inverse;                          // a matrix for each part
};
} // namespace adamant
