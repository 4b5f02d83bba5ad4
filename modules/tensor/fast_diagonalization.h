#pragma once

#include "tensor/column_inverse.h"
#include "tensor/dense_products.h"
#include "tensor/eigenpairs.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Fast diagonalization (Lynch, Rice & Thomas 1964): the exact inverse of the Laplacian of Q1 elements on a tensor
/// product of one-dimensional meshes, each end prescribed (zero) or natural, nodes numbered along lines of the first
/// direction; the pseudo-inverse for constants. Of two directions
///
///   X = V [(VᵀB V) ∘ w wᵀ / (λ_i + λ_j)] Vᵀ
///
/// four products with dense matrices. In double the last direction needs none: the others' eigenvectors leave a
/// tridiagonal system along each of its lines (TridiagonalLines), whose elimination rounds too much in lower precision.
/// Where a direction is symmetric about its middle, even and odd vectors need half of the nodes each, b_i + b_{N-1-i}
/// and b_i - b_{N-1-i}: half of the operations. In float32 and below each right-hand side is scaled, so that no product
/// overflows, and vectors are stored in that precision between products; right-hand sides and results are in double or
/// float. There, for many right-hand sides, the last direction has the inverse of each of its tridiagonal systems as a
/// matrix, computed in double: one product instead of two. As many lines or coefficients as fit into a GPU's cache go
/// through several steps there before the next ones follow.
class FastDiagonalization : public ColumnInverse
{
public:
  /// What is chosen for speed; 0: as it pays.
  struct Options
  {
    int         split_from  = 0; ///< even and odd vectors apart in directions of so many nodes and more
    std::size_t chunk_bytes = 0; ///< of the vectors that go through several steps at a time
    int         invert_from = 0; ///< in low precision, inverses along the last direction from so many columns on
  };

  /// Two or three directions, that of nodes following each other first; n_columns right-hand sides at once (see
  /// MultiVector). Throws RunError where there is a GPU, but no cuBLAS.
  FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                      Arithmetic arithmetic = Arithmetic::float64, int n_columns = 1,
                      const Options &options = {0, 0, 0});
  ~FastDiagonalization() override;
  FastDiagonalization(FastDiagonalization &&) noexcept;

  /// x = A⁻¹ b for all columns, n_nodes x n_columns each; x may be b.
  void solve(const Vector<double> &b, Vector<double> &x) const { apply(b, nullptr, false, x); }

  void apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) const override;
  /// Not with float64.
  void apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x) const override;
  void update() override {} ///< the matrix stays

  double      flop() const; ///< floating-point operations of products and elimination for one column, without padding
  double      traffic() const; ///< bytes that these read and write at least, for all columns
  std::size_t bytes() const;   ///< of matrices and vectors

  class Transforms;

private:
  std::unique_ptr<Transforms> transforms;
};
} // namespace adamant
