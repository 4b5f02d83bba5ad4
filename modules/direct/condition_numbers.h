#pragma once

#include "direct/prehandled.h"

#include <vector>

namespace adamant
{
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
