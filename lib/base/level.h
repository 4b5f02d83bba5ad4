#pragma once

#include "base/csr/csr_matrix.h"

#include <memory>

namespace adamant
{
/// One level of global coarsening, as matrices in host memory. Level 0 is the coarsest (Liebchen et al., Sections 2.2
/// and 3.1). All vectors have an entry for each DoF of the level. A function has the nodal values u = H x + B g, where
/// x are the free unknowns and g the prescribed values. A, P and R act on x. Constrained DoFs have rows of the identity
/// in A and empty rows in P.
struct Level
{
  std::shared_ptr<const CSRMatrix<double>> A; ///< Hᵀ (sum of all cells' matrices) H, n x n
  std::shared_ptr<const CSRMatrix<double>> P; ///< n x n_coarser prolongation from the coarser level; null on level 0
  std::shared_ptr<const CSRMatrix<double>> R; ///< restriction, the transpose of P; null on level 0
  std::shared_ptr<const CSRMatrix<double>> H; ///< constraints: gives hanging nodes from free ones, n x n
  std::shared_ptr<const CSRMatrix<double>> B; ///< extension of prescribed values, n x n_prescribed
};
} // namespace adamant
