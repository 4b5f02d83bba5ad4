#pragma once

#include "base/csr_matrix.h"
#include "multigrid/smoothers/smoother.h"

namespace adamant
{
/// The inverses of the diagonal blocks of `matrix`; node_size 1 gives 1/a_ii. Entry (i, j) of all nodes' blocks lies
/// together:
/// [(i node_size + j) n_nodes + node]. Throws RunError naming the row where a block is singular.
Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size);

/// The same for a level, in the vector `diagonal`, which is made where it is empty; of values that change on the device
/// there. Those of a singular block are then no numbers.
template <typename Number>
void update_inverse_diagonal(const SmootherLevel<Number> &level, int node_size, Vector<Number> &diagonal);

/// Factorised sparse approximate inverse: the lower triangular G, on the pattern of A's lower triangle, for which GᵀG
/// approximates A⁻¹ (Kolotilina & Yeremin 1993): with J the pattern of row i, A_JJ y = e_i and g_i = y / sqrt(y_i).
/// A nonsymmetric A is replaced by its symmetric part. Throws RunError where a local matrix is not positive definite.
CSRMatrix<double> fsai_factor(const CSRMatrix<double> &matrix);

/// The same without values.
CSRMatrix<double> fsai_pattern(const CSRMatrix<double> &matrix);

/// A fixed pseudo-random vector with entries in (-1, 1), host memory.
Array<double> start_vector(int n);
} // namespace adamant
