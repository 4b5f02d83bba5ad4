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
/// (loads) and results (nodal values) are in double or float, flat vectors of multi_vector.h. Each column is scaled on
/// entry.
class Schur : public ColumnInverse
{
public:
  /// Computes all matrices in double; vectors are made for n_columns right-hand sides. Throws RunError where the
  /// device's memory does not suffice.
  Schur(const Device &device, const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices,
        Arithmetic arithmetic, int n_columns);
};

/// Bytes of Π⁻¹ for n_edge unknowns on edges in this arithmetic, and the most bytes needed while it is inverted.
struct SchurBytes
{
  double stored, most;
};
SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic);

/// Condition numbers κ: the ratio of the largest to the smallest eigenvalue, by Lanczos' method.
struct ConditionNumbers
{
  double              nodal, hierarchical, prehandled; ///< of A, of SᵀAS, and of SᵀAS scaled by diag(L Lᵀ, d)
  std::vector<double> C;                               ///< of C, for each class of cells
  double              Pi;                              ///< of E - D C⁻¹Dᵀ - BᵀB, which is never stored
};

/// Computes the condition numbers. `matrix` has all nodes, in host memory. The device inverts the matrices C. Throws
/// RunError where 5000 steps do not suffice.
ConditionNumbers condition_numbers(const Device &device, const NestedNodes &nodes, const MacroCells &cells,
                                   const Prehandled &matrices, const CSRMatrix<double> &matrix);
} // namespace adamant
