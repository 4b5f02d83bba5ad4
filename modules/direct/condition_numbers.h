#pragma once

#include "direct/prehandled.h"

#include <vector>

namespace adamant
{
/// κ = largest over smallest eigenvalue, by Lanczos' method.
struct ConditionNumbers
{
  double              nodal, hierarchical, prehandled; ///< A, SᵀAS, and that with diag(L L ᵀ, d) scaled out
  std::vector<double> C;                               ///< of each class of cells
  double              Pi;                              ///< of E - D C⁻¹Dᵀ - BᵀB, never made
};

/// `matrix` is that of all nodes. The device inverts the matrices C.
ConditionNumbers condition_numbers(const Device &device, const NestedNodes &nodes, const MacroCells &cells,
                                   const Prehandled &matrices, const CSRMatrix<double> &matrix);
} // namespace adamant
