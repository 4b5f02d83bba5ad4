#pragma once

#include "base/csr/csr_matrix.h"
#include "base/host_device.h"
#include "base/view.h"

namespace adamant
{
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

  /// Returns the place of the entry (i, j), or -1 where it is not stored; columns ascend.
  ADAMANT_HOST_DEVICE EntryNumber find(int i, int j) const
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
    return first < row_start[i + 1] && column[first] == j ? first : EntryNumber(-1);
  }
  ADAMANT_HOST_DEVICE double entry(int i, int j) const
  {
    const EntryNumber k = find(i, j);
    return k == EntryNumber(-1) ? 0. : value[k];
  }
};

/// Returns a view of the rows of a matrix in host memory.
inline RowsView view_of(const CSRMatrix<double> &matrix)
{
  return {matrix.n_rows, elements(matrix.row_start), elements(matrix.column), elements(matrix.value)};
}
} // namespace adamant
