#pragma once

#include "direct/prehandled.h"
#include "tensor/column_inverse.h"
#include "tensor/dense_products.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// The direct solver (M1) of Ruda, Turek, Ribbrock and Zajac (2021): a Schur complement of the prehandled matrix, on
/// the edges of a coarse mesh. With W = D C⁻¹ and Π = E - D C⁻¹Dᵀ - BᵀB,
///
///   x_E = Π⁻¹ (b_E - Bᵀb_C - W b_I),   x_C = b_C - B x_E,   x_I = C⁻¹b_I - Wᵀx_E:
///
/// Π⁻¹, C⁻¹ and W are computed in double once, and stored dense in the precision of the products. Right-hand sides
/// (loads) and results (nodal values) are in double or float, columns of MultiVector. Each column is scaled on entry.
class Schur : public ColumnInverse
{
public:
  /// Computes all matrices in double; vectors are made for n_columns right-hand sides. Throws RunError where the
  /// device's memory does not suffice.
  Schur(const Device &device, const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices,
        Arithmetic arithmetic, int n_columns);
  ~Schur() override;
  Schur(Schur &&) noexcept;

  void solve(const Vector<double> &b, Vector<double> &x) const { apply(b, nullptr, false, x); }
  void apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) const override;
  /// Applies the inverse to vectors in float; not available with float64.
  void apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x) const override;
  void update() override {} ///< the matrix does not change

  double      flop() const;       ///< operations of a solve for one column, by products, without padding
  double      paper_flop() const; ///< these operations as the paper counts them: C⁻¹ twice, and no product with D
  double      traffic() const;    ///< bytes that the products of a solve read and write at least, for all columns
  std::size_t bytes() const;      ///< of matrices and vectors

  class Solver;

private:
  std::unique_ptr<Solver> solver;
};

/// The matrices C⁻¹, W = D C⁻¹ and G = W Dᵀ of one class, row-major, in host memory. The device computes them in
/// double. D lacks the factor of E.
struct LocalInverse
{
  Array<double> C_inverse, W, G;
};
std::vector<LocalInverse> local_inverses(const Device &device, const MacroCells &cells, const Prehandled &matrices);

/// Returns the sparse matrix Λ = E - D C⁻¹Dᵀ: it couples all unknowns on the edges of a cell.
CSRMatrix<double> edge_complement(const MacroCells &cells, const Prehandled &matrices,
                                  const std::vector<LocalInverse> &local);

/// Returns a matrix with row[i] of A for each unknown i, or an empty row where row[i] is -1; column j becomes
/// number[j].
CSRMatrix<double> rows_of_unknowns(const CSRMatrix<double> &A, const Array<int> &row, const Array<int> &number);

/// Bytes of Π⁻¹ for n_edge unknowns on edges in this arithmetic, and the most bytes needed while it is inverted.
struct SchurBytes
{
  double stored, most;
};
SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic);
} // namespace adamant
