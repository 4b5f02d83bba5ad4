#pragma once

#include "base/csr_matrix.h"

#include <memory>

namespace adamant
{
/// What multigrid needs of one level, in host memory. Level 0 is the coarsest (Liebchen et al., Algorithm 1).
/// Constrained unknowns are part of the vectors, where they are zero: their matrix rows are those of the identity,
/// their rows of the prolongation are empty.
struct LevelData
{
  std::shared_ptr<const CSRMatrix<double>> matrix; ///< A_l, n_l x n_l
  std::shared_ptr<const CSRMatrix<double>>
    prolongation; ///< P_l, n_l x n_{l-1}, from the next coarser level; null on level 0
  std::shared_ptr<const CSRMatrix<double>> restriction;   ///< R_l = P_lᵀ, stored; null on level 0
  int                                      node_size = 1; ///< rows that belong to one node, stored next to each other
};
} // namespace adamant
