#pragma once

#include "algebra/dense_products.h"
#include "base/array.h"
#include "solvers/preconditioner.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// One direction of a tensor-product mesh: the eigenvectors V of K v = λ M v of its one-dimensional stiffness and mass
/// matrices, of length 1 each, and the weights w = 1 / (vᵀM v); V row-major, n_nodes x n. Nodes where a value is
/// prescribed have rows of zeros.
struct Eigenpairs
{
  int           n_nodes = 0, n = 0;
  Array<double> value, weight, vectors;
};

/// Of Q1 elements on the nodes x, ascending; the first or the last may be prescribed, else the end is natural. With
/// `without_prescribed` such nodes are left out. Equal cells have sines and cosines, others are left to LAPACK.
Eigenpairs one_dimensional_eigenpairs(const std::vector<double> &x, bool first_prescribed, bool last_prescribed,
                                      bool without_prescribed = false);

/// Fast diagonalization (Lynch, Rice & Thomas 1964): the exact inverse of the Laplacian of Q1 elements on a tensor
/// product of one-dimensional meshes, each end prescribed (zero) or natural, nodes numbered along lines of the first
/// direction; the pseudo-inverse for constants. Of two directions
///
///   X = V [(VᵀB V) ∘ w wᵀ / (λ_i + λ_j)] Vᵀ
///
/// four products with dense matrices. In float32 and below each right-hand side is scaled, so that no product
/// overflows, and vectors are stored in that precision between products; right-hand sides and results are in double.
class FastDiagonalization : public Preconditioner
{
public:
  /// Two or three directions, that of nodes following each other first; n_columns right-hand sides at once (see
  /// MultiVector). Throws RunError where there is a GPU, but no cuBLAS.
  FastDiagonalization(const Device &device, const std::vector<Eigenpairs> &directions,
                      Arithmetic arithmetic = Arithmetic::float64, int n_columns = 1);
  ~FastDiagonalization() override;
  FastDiagonalization(FastDiagonalization &&) noexcept;

  /// x = A⁻¹ b for all columns, n_nodes x n_columns each; x may be b.
  void solve(const Vector<double> &b, Vector<double> &x) const;

  void vmult(const Vector<double> &b, Vector<double> &x) const override { solve(b, x); }
  void update() override {} ///< the matrix stays

  double      flop() const;    ///< floating-point operations of a solve for one column, without padding
  double      traffic() const; ///< bytes that the products of a solve read and write at least, for all columns
  std::size_t bytes() const;   ///< of matrices and vectors

  class Transforms;

private:
  std::unique_ptr<Transforms> transforms;
};
} // namespace adamant
