#pragma once

#include "base/array.h"
#include "base/host_device.h"

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

using SharedMatrix = std::shared_ptr<const CSRMatrix<double>>; ///< null where there is none

/// The integer type that counts the entries of a matrix.
using EntryNumber = decltype(CSRMatrix<double>::row_start)::value_type;

/// Turns row lengths, stored in row_start[1..n], into row starts, and gives `column` and `value` their sizes.
void finish_row_starts(CSRMatrix<double> &matrix);

/// Returns the transpose of `matrix`, with ascending columns. The result does not depend on the number of threads.
CSRMatrix<double> transpose(const CSRMatrix<double> &matrix);

/// Returns the entry (row, col), or zero where it is not stored.
double entry(const CSRMatrix<double> &matrix, int row, int col);

/// Returns the n_rows entries of the main diagonal, with zero where an entry is not stored.
Array<double> diagonal(const CSRMatrix<double> &matrix);

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

/// Compressed rows in the memory of a device, as functors see them.
struct RowsView
{
  int                     n_rows;
  View<const EntryNumber> row_start;
  View<const int>         column;
  View<const double>      value;
  /// Where rows are spread over ranks, their columns end with ghosts. This is the first ghost's column if ghosts are to
  /// be left out, else -1.
  int first_ghost = -1;

  /// Returns the place behind the last entry of row i that is not left out.
  ADAMANT_HOST_DEVICE EntryNumber end(int i) const
  {
    EntryNumber end = row_start[i + 1];
    while (first_ghost >= 0 && end > row_start[i] && column[end - 1] >= first_ghost)
      --end;
    return end;
  }

  /// Returns the place of the first entry of row i in column j or behind it; columns ascend.
  ADAMANT_HOST_DEVICE EntryNumber lower_bound(int i, int j) const
  {
    EntryNumber first = row_start[i], end = row_start[i + 1];
    while (first < end)
      {
        const EntryNumber middle = first + (end - first) / 2;
        if (column[middle] < j)
          first = middle + 1;
        else
          end = middle;
      }
    return first;
  }
  /// Returns the place of the entry (i, j), or -1 where it is not stored.
  ADAMANT_HOST_DEVICE EntryNumber find(int i, int j) const
  {
    const EntryNumber k = lower_bound(i, j);
    return k < row_start[i + 1] && column[k] == j ? k : EntryNumber(-1);
  }
  ADAMANT_HOST_DEVICE double entry(int i, int j) const
  {
    const EntryNumber k = find(i, j);
    return k == EntryNumber(-1) ? 0. : value[k];
  }
  /// Copies the m x m block of the rows and columns from `first` on, by rows, with zero where an entry is not stored.
  ADAMANT_HOST_DEVICE void block(int first, int m, double *to) const
  {
    for (int k = 0; k < m * m; ++k)
      to[k] = 0.;
    for (int i = 0; i < m; ++i)
      for (EntryNumber k = lower_bound(first + i, first); k < row_start[first + i + 1] && column[k] < first + m; ++k)
        to[i * m + column[k] - first] = value[k];
  }
};

/// Returns a view of the rows of a matrix in host memory.
inline RowsView view_of(const CSRMatrix<double> &matrix)
{
  return {matrix.n_rows, elements(matrix.row_start), elements(matrix.column), elements(matrix.value)};
}
} // namespace adamant
