#pragma once

#include "base/csr/csr_matrix.h"
#include "base/host_device.h"

// Functors for Device::for_each_by_lanes: the products of sparse matrices whose patterns are known.

namespace adamant
{
/// Copies the columns of row i from `from` to `column`, in ascending order.
struct SortColumns
{
  const EntryNumber *row_start;
  const int         *from;
  int               *column;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int i, const Lanes &lanes) const
  {
    const EntryNumber begin = row_start[i], end = row_start[i + 1];
    for (EntryNumber k = begin + lanes.number(); k < end; k += Lanes::size)
      {
        EntryNumber place = begin;
        for (EntryNumber l = begin; l < end; ++l)
          place += from[l] < from[k] ? 1 : 0;
        column[place] = from[k];
      }
  }
};

/// Computes row i of C = A B, where the pattern of C has all entries of the product. The lanes share the entries of a
/// row of B; sums go through row i of A in its order. A row of C stays as it is where A has none.
struct MultiplyRows
{
  RowsView A, B, C;
  double  *value; ///< of C

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int i, const Lanes &lanes) const
  {
    const EntryNumber begin = A.row_start[i], end = A.row_start[i + 1];
    if (begin == end)
      return;
    for (EntryNumber k = C.row_start[i] + lanes.number(); k < C.row_start[i + 1]; k += Lanes::size)
      value[k] = 0.;
    for (EntryNumber k = begin; k < end; ++k)
      {
        lanes.wait(); // for the sums of other lanes
        const double a = A.value[k];
        const int    j = A.column[k];
        for (EntryNumber l = B.row_start[j] + lanes.number(); l < B.row_start[j + 1]; l += Lanes::size)
          value[C.find(i, B.column[l])] += a * B.value[l];
      }
  }
};
} // namespace adamant
