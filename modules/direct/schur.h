#pragma once

#include "direct/prehandled.h"
#include "tensor/column_inverse.h"
#include "tensor/dense_products.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// The direct solver (M1) of Ruda, Turek, Ribbrock and Zajac (2021): a Schur complement on the edges of a coarse mesh,
/// of the prehandled matrix. With W = D C⁻¹ and Π = E - D C⁻¹Dᵀ - BᵀB,
///
///   x_E = Π⁻¹ (b_E - Bᵀb_C - W b_I),   x_C = b_C - B x_E,   x_I = C⁻¹b_I - Wᵀx_E:
///
/// Π⁻¹, C⁻¹ and W are computed in double once, and stored dense in the precision of the products. Right-hand sides and
/// results are nodal values and loads in double or float, columns of MultiVector; each column is scaled at the door.
class Schur : public ColumnInverse
{
public:
  /// What is computed in double, without Π; vectors are made for n_columns right-hand sides. Throws RunError where the
  /// device's memory does not suffice.
  Schur(const Device &device, const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices,
        Arithmetic arithmetic, int n_columns);
  ~Schur() override;
  Schur(Schur &&) noexcept;

  void solve(const Vector<double> &b, Vector<double> &x) const { apply(b, nullptr, false, x); }
  void apply(const Vector<double> &b, const double *squares, bool add, Vector<double> &x) const override;
  /// Not with float64.
  void apply(const Vector<float> &b, const double *squares, bool add, Vector<float> &x) const override;
  void update() override {} ///< the matrix stays

  double      flop() const;       ///< of a solve for one column, by products, without padding
  double      paper_flop() const; ///< of the same as the paper counts: C⁻¹ twice, and no product with D
  double      traffic() const;    ///< bytes that the products of a solve read and write at least, for all columns
  std::size_t bytes() const;      ///< of matrices and vectors

  class Solver;

private:
  std::unique_ptr<Solver> solver;
};

/// C⁻¹, W = D C⁻¹ and G = W Dᵀ of one class, computed in double by the device; row-major, host memory. D is without the
/// factor of E.
struct LocalInverse
{
  Array<double> C_inverse, W, G;
};
std::vector<LocalInverse> local_inverses(const Device &device, const MacroCells &cells, const Prehandled &matrices);

/// Λ = E - D C⁻¹Dᵀ, sparse: the unknowns on the edges of a cell see each other.
CSRMatrix<double> edge_complement(const MacroCells &cells, const Prehandled &matrices,
                                  const std::vector<LocalInverse> &local);

/// For each unknown i row[i] of A, or an empty one where that is -1; column j becomes number[j].
CSRMatrix<double> rows_of_unknowns(const CSRMatrix<double> &A, const Array<int> &row, const Array<int> &number);

/// Bytes of Π⁻¹ for so many unknowns on edges, in an arithmetic, and the most that is needed while it is inverted.
struct SchurBytes
{
  double stored, most;
};
SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic);
} // namespace adamant
