#pragma once

#include "base/csr_matrix.h"

namespace adamant
{
/// The rows and columns of A with these numbers, ascending, in their order; other columns are dropped. Host memory.
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns);
} // namespace adamant
