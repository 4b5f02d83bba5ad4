#pragma once

#include "base/csr/csr_matrix.h"

#include <memory>

namespace adamant
{
/// Returns A B, a matrix with as many rows as A and as many columns as B. It has every entry that the patterns allow,
/// and its columns ascend. All matrices are in host memory and on this rank as a whole: the columns of A are rows of B.
CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);

/// Returns the rows and columns of A with these numbers, in the order of the lists. Other columns are dropped, and so
/// are entries that are zero. All matrices are in host memory.
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns);

/// Returns the part of A, a system with m components in each node, that couples component `row` to component `column`.
/// It has the rows i with i % m = row and the columns j with j % m = column, by the numbers of their nodes. Entries
/// that are zero stay, as later values may take their places. On several ranks each has its part, with the ghosts of
/// this component only. All is in host memory. Throws RunError where the rows of a node are on several ranks.
CSRMatrix<double> component_block(const CSRMatrix<double> &A, int m, int row, int column);

/// Returns the matrix that adds up the values that other ranks have for this rank's rows. These values are ghosts of a
/// vector x, and `plan` is the plan of x. Row rows[k] of the n_rows has an entry 1 for ghost k; the columns that this
/// rank owns are empty.
CSRMatrix<double> sum_of_ghosts(const std::shared_ptr<const ExchangePlan> &plan, const Array<int> &rows, int n_rows);
} // namespace adamant
