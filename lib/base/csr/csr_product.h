#pragma once

#include "base/csr/csr_matrix.h"

namespace adamant
{
/// Returns A B, a matrix with as many rows as A and as many columns as B. It has every entry that the patterns allow,
/// and its columns ascend. All matrices are in host memory and on this rank as a whole: the columns of A are rows of B.
CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);
} // namespace adamant
