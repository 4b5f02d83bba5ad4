#pragma once

#include "base/csr_matrix.h"

#include <memory>

namespace adamant
{
/// The rows and columns of A with these numbers, in the order of the lists; other columns are dropped, and entries that
/// are zero. Host memory.
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns);

/// Of a system of m components that stand together in each node: the rows i with i % m = row and the columns j with
/// j % m = column, by the numbers of their nodes. Entries that are zero stay, as others may follow in their places.
/// Over ranks each has its part, and ghosts are those of this component. Host memory. Throws RunError where the rows of
/// a node are on several ranks.
CSRMatrix<double> component_block(const CSRMatrix<double> &A, int m, int row, int column);

/// Adds up what other ranks have for this rank's rows. These are ghosts of a vector x of such sums, and `plan` is that
/// of x: row rows[k] of the n_rows has an entry 1 for ghost k, and the rank's own columns are empty.
CSRMatrix<double> sum_of_ghosts(const std::shared_ptr<const ExchangePlan> &plan, const Array<int> &rows, int n_rows);
} // namespace adamant
