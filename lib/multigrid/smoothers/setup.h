#pragma once

#include "base/csr/csr_matrix.h"
#include "multigrid/smoothers/smoother.h"

namespace adamant
{
/// Returns the inverses of the diagonal blocks of `matrix`, in host memory; node_size = 1 gives 1/a_ii. Entry (i, j) of
/// a node's block is at [(i node_size + j) n_nodes + node]. Throws RunError that names the row of a singular block.
Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size);

/// Returns the matrix of the inverses of inverse_diagonal_blocks, in host memory.
CSRMatrix<double> inverse_diagonal_matrix(const CSRMatrix<double> &matrix, int node_size);

/// Computes the inverses of the diagonal blocks of a level in `diagonal`, in device memory; an empty vector is made
/// first. Where values change on the device, the device inverts; a singular block then gives NaN or infinity.
template <typename Number>
void update_inverse_diagonal(const DeviceLevel<Number> &level, int node_size, Vector<Number> &diagonal);

/// Returns the factor G of the factorised sparse approximate inverse GᵀG of A (Kolotilina & Yeremin 1993). G is lower
/// triangular, with the pattern of A's lower triangle. With the pattern J of row i, A_JJ y = e_i and g_i = y /
/// sqrt(y_i). A nonsymmetric A is replaced by its symmetric part. Throws RunError where a local matrix is not positive
/// definite.
CSRMatrix<double> fsai_factor(const CSRMatrix<double> &matrix);

/// Returns the pattern of fsai_factor, without values.
CSRMatrix<double> fsai_pattern(const CSRMatrix<double> &matrix);

/// Returns a fixed pseudo-random vector with n entries in (-1, 1), in host memory.
Array<double> start_vector(int n);
} // namespace adamant
