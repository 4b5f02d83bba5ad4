#pragma once

#include "base/csr_matrix.h"

namespace adamant
{
/// The rows and columns of A with these numbers, in the order of the lists; other columns are dropped, and entries that
/// are zero. Host memory.
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns);
} // namespace adamant
