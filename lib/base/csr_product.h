#pragma once

#include "base/csr_matrix.h"

namespace adamant
{
/// C = A B, n_A x m_B, with every entry that the patterns allow; columns ascend. Host memory, the columns of A are rows
/// of B: both matrices are on this rank as a whole.
CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);
} // namespace adamant
