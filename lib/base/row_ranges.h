#pragma once

#include "base/array.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <omp.h>

namespace adamant
{
/// Calls action(first, end) in each thread with the range of rows that the thread owns. Results do not depend on the
/// number of threads if only its owner writes a row, in an order that the ranges do not change.
template <typename Action>
void for_row_ranges(int n_rows, const Action &action)
{
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads();
    action(static_cast<int>(n_rows * thread / n_threads), static_cast<int>(n_rows * (thread + 1) / n_threads));
  }
}

/// Items, such as cells, that contribute to rows: `visit(item, add)` calls add(row, what...) for each row of one item.
/// Items follow each other in blocks, and a thread that owns a range of rows visits only the blocks that reach it.
template <typename Visit>
class VisitsOfRows
{
public:
  VisitsOfRows(int n_items, const Visit &visit)
    : n_items(n_items)
    , visit(visit)
    , reach((n_items + block - 1) / block, Range{0, std::numeric_limits<int>::max()})
  {
    if (omp_get_max_threads() == 1) // this thread owns all rows
      return;
#pragma omp parallel for schedule(static)
    for (int b = 0; b < static_cast<int>(reach.size()); ++b)
      {
        Range range{std::numeric_limits<int>::max(), -1};
        for_items(b, [&](int item) {
          visit(item, [&](int row, const auto &...) {
            range.first = std::min(range.first, row);
            range.last  = std::max(range.last, row);
          });
        });
        reach[b] = range;
      }
  }

  /// Calls action(row, item, what...) for each visit of the rows `first` to end - 1, item by item.
  template <typename Action>
  void for_rows(int first, int end, const Action &action) const
  {
    for (int b = 0; b < static_cast<int>(reach.size()); ++b)
      if (reach[b].first < end && reach[b].last >= first)
        for_items(b, [&](int item) {
          visit(item, [&](int row, const auto &...what) {
            if (row >= first && row < end)
              action(row, item, what...);
          });
        });
  }

private:
  static constexpr int block = 256;
  struct Range
  {
    int first, last;
  };

  template <typename Action>
  void for_items(int b, const Action &action) const
  {
    for (int item = b * block; item < std::min(n_items - b * block, block) + b * block; ++item)
      action(item);
  }

  const int    n_items;
  const Visit &visit;
  Array<Range> reach; // the first and the last row that each block of items visits
};

/// Makes lists of the items that visit each row, in the order of the items. The list of a row has the places start[row]
/// to start[row + 1] - 1. First, resize(n) is called to make room for all n places; it may throw where they are too
/// many. Then place(k, item, what...) is called to write each visit to its place k.
template <typename Start, typename Visit, typename Resize, typename Place>
void list_by_rows(int n_rows, int n_items, Array<Start> &start, const Visit &visit, const Resize &resize,
                  const Place &place)
{
  const VisitsOfRows<Visit> visits(n_items, visit);
  start.resize(n_rows + 2);
  start[0] = start[1] = 0;
  for_row_ranges(n_rows, [&](int first, int end) {
    std::fill(start.begin() + first + 2, start.begin() + end + 2, 0);
    visits.for_rows(first, end, [&](int row, int, const auto &...) { ++start[row + 2]; });
  });
  std::size_t n = 0;
  for (int row = 0; row < n_rows; ++row)
    start[row + 2] = static_cast<Start>(n += start[row + 2]);
  resize(n);
  // start[row + 1] is the next place of the row: it moves from the first one to behind the last one.
  for_row_ranges(n_rows, [&](int first, int end) {
    visits.for_rows(first, end,
                    [&](int row, int item, const auto &...what) { place(start[row + 1]++, item, what...); });
  });
  start.resize(n_rows + 1);
}

/// Returns the first place of each number from 0 to n - 1 in a table of `size` such numbers, or -1 where it has none.
inline Array<int> first_places(const int *table, int size, int n)
{
  const auto         visit = [table](int place, const auto &add) { add(table[place]); };
  const VisitsOfRows visits(size, visit);
  Array<int>         first(n);
  for_row_ranges(n, [&](int begin, int end) {
    std::fill(first.begin() + begin, first.begin() + end, -1);
    visits.for_rows(begin, end, [&](int number, int place) {
      if (first[number] < 0)
        first[number] = place;
    });
  });
  return first;
}
} // namespace adamant
