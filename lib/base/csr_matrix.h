#pragma once

#include "base/array.h"

#include <cstdint>
#include <memory>

namespace adamant
{
struct ExchangePlan;

/// Sparse matrix in compressed row storage, in host memory. Row i holds the entries row_start[i] <= k < row_start[i+1];
/// columns ascend within a row. Rows and columns have 32-bit numbers (IndexOverflow is thrown before one would not
/// fit), entries 64-bit ones.
///
/// Of a matrix whose rows are spread over ranks this is one rank's rows, n_rows of them. Where `ghosts` is set, its
/// columns are local numbers of that plan: this rank's own entries of the vector that it multiplies, then ghosts.
template <typename Number>
struct CSRMatrix
{
  int                 n_rows = 0;
  int                 n_cols = 0;
  Array<std::int64_t> row_start; ///< n_rows + 1 entries
  Array<int>          column;    ///< n_nonzeros entries
  Array<Number>       value;     ///< n_nonzeros entries; none of a pattern alone, whose values are on a device

  std::shared_ptr<const ExchangePlan> ghosts; ///< null on one rank

  std::int64_t n_nonzeros() const { return row_start.empty() ? 0 : row_start[n_rows]; }
};

/// Counts the entries of a matrix.
using EntryNumber = decltype(CSRMatrix<double>::row_start)::value_type;

/// Turns row lengths, stored in row_start[1..n], into row starts, and sizes column and value accordingly.
template <typename Number>
void finish_row_starts(CSRMatrix<Number> &matrix);

/// B = A^T, columns sorted; the same result for any number of threads.
template <typename Number>
CSRMatrix<Number> transpose(const CSRMatrix<Number> &matrix);

/// The entry (row, col), zero where it is not stored.
template <typename Number>
Number entry(const CSRMatrix<Number> &matrix, int row, int col);

/// The main diagonal, n_rows values; zero where an entry is not stored.
template <typename Number>
Array<Number> diagonal(const CSRMatrix<Number> &matrix);

/// y = A x, for vectors that are needed once; the backends have the fast products. Of vectors over ranks x and y are
/// the owned values:
/// all ranks call it together.
Array<double> product(const CSRMatrix<double> &A, const Array<double> &x);

/// y = Aᵀ x, likewise.
Array<double> transposed_product(const CSRMatrix<double> &A, const Array<double> &x);

/// @name The parts of a matrix whose rows are spread over ranks: the entries in columns that this rank owns, and those
/// in ghosts, whose columns then count from the first ghost.
/// @{
CSRMatrix<double> owned_block(const CSRMatrix<double> &A);
CSRMatrix<double> ghost_block(const CSRMatrix<double> &A);
/// @}
} // namespace adamant
