#pragma once

#include "direct/prehandled.h"
#include "tensor/multi_vector.h"

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

/// Bytes of Π⁻¹ for n_edge unknowns on edges in this arithmetic, and the most bytes needed while it is inverted.
struct SchurBytes
{
  double stored, most;
};
SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic);
} // namespace adamant
