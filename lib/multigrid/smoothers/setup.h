#pragma once

#include "base/csr_matrix.h"

#include <utility>
#include <vector>

namespace adamant
{
/// The inverses of the diagonal blocks of `matrix`; block_size 1 gives 1/a_ii. Entry (i, j) of all nodes' blocks lies together:
/// [(i block_size + j) n_nodes + node]. Throws RunError naming the row where a block is singular.
Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int block_size);

/// Factorised sparse approximate inverse: the lower triangular G, on the pattern of A's lower triangle, for which GᵀG
/// approximates A⁻¹ (Kolotilina & Yeremin 1993): with J the pattern of row i, A_JJ y = e_i and g_i = y / sqrt(y_i).
/// A nonsymmetric A is replaced by its symmetric part. Throws RunError where a local matrix is not positive definite.
CSRMatrix<double> fsai_factor(const CSRMatrix<double> &matrix);

/// Coefficients (alpha_k, beta_k), k = 0..n-1, of d <- alpha d + beta S r, x <- x + d for Chebyshev's polynomial on
/// [lower, upper] (Saad, Iterative Methods, Algorithm 12.1).
template <typename Number>
std::vector<std::pair<Number, Number>> chebyshev_coefficients(int n, double lower, double upper);

/// A fixed pseudo-random vector with entries in (-1, 1), host memory.
Array<double> start_vector(int n);

/// The inverse of a sparse matrix as a dense one, row-major, host memory; by block elimination without pivoting across
/// blocks, which suits matrices with positive definite symmetric part. Throws RunError where the result is not an inverse.
Array<double> dense_inverse(const CSRMatrix<double> &matrix);
} // namespace adamant
