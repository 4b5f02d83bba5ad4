#pragma once

#include "base/array.h"

#include <cstdint>
#include <memory>

namespace adamant
{
struct ExchangePlan;

/// Sparse matrix in compressed row storage, in host memory. Row i holds the entries row_start[i] <= k < row_start[i+1];
/// columns ascend within a row. Numbers of rows and columns have 32 bits, numbers of entries 64. IndexOverflow is
/// thrown before a row or column number would not fit.
///
/// Where the rows of a matrix are spread over ranks, this object holds the n_rows rows of one rank. Where `ghosts` is
/// set, columns are local numbers of that plan. This rank's own entries of the vector that the matrix multiplies come
/// first, then the ghosts.
template <typename Number>
struct CSRMatrix
{
  int                 n_rows = 0;
  int                 n_cols = 0;
  Array<std::int64_t> row_start; ///< n_rows + 1 entries
  Array<int>          column;    ///< n_nonzeros entries
  Array<Number>       value;     ///< n_nonzeros entries; empty for a pattern whose values are on a device

  std::shared_ptr<const ExchangePlan> ghosts; ///< null on one rank

  std::int64_t n_nonzeros() const { return row_start.empty() ? 0 : row_start[n_rows]; }
};

/// The integer type that counts the entries of a matrix.
using EntryNumber = decltype(CSRMatrix<double>::row_start)::value_type;

/// Turns row lengths, stored in row_start[1..n], into row starts, and gives `column` and `value` their sizes.
template <typename Number>
void finish_row_starts(CSRMatrix<Number> &matrix);

/// Returns the transpose of `matrix`, with ascending columns. The result does not depend on the number of threads.
template <typename Number>
CSRMatrix<Number> transpose(const CSRMatrix<Number> &matrix);

/// Returns the entry (row, col), or zero where it is not stored.
template <typename Number>
Number entry(const CSRMatrix<Number> &matrix, int row, int col);

/// Returns the n_rows entries of the main diagonal, with zero where an entry is not stored.
template <typename Number>
Array<Number> diagonal(const CSRMatrix<Number> &matrix);

/// Returns A x, for vectors that are needed once; the backends have faster products. Where A is spread over ranks, x
/// and the result are the values that this rank owns, and all ranks call it together.
Array<double> product(const CSRMatrix<double> &A, const Array<double> &x);

/// Returns Aᵀ x. Over ranks, x and the result are the values that this rank owns, and all ranks call it together.
Array<double> transposed_product(const CSRMatrix<double> &A, const Array<double> &x);

/// @name The parts of a matrix whose rows are spread over ranks
/// The first has the entries in columns that this rank owns. The second has the entries in columns of ghosts, which
/// then count from the first ghost.
/// @{
CSRMatrix<double> owned_block(const CSRMatrix<double> &A);
CSRMatrix<double> ghost_block(const CSRMatrix<double> &A);
/// @}
} // namespace adamant
