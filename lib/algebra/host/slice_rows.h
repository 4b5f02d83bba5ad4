#pragma once

#include "base/csr/csr_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace adamant::host
{
/// The rows of a slice in terms of blocks of m x m entries, in the order of storage. They are stored by ascending
/// columns or, once sorted, by windows. The columns of a node's first row hold for all its rows.
class SliceRows
{
public:
  SliceRows(const RowsView &A, int m, int lanes)
    : m(m)
    , lanes(lanes)
    , A(A)
    , n_blocks(lanes)
    , values(lanes * m)
    , columns(lanes)
  {}

  const int m, lanes;

  int    width(int r) const { return n_blocks[r]; } ///< blocks of node r
  int    column(int r, int block) const { return columns[r][block * m]; }
  double value(int r, int block, int c, int d) const { return values[r * m + c][block * m + d]; }
  int    window(int k) const { return windows[k]; }

  /// Calls action(r, k, block) for all nodes and k < n, where `block` is the one that is stored there, or -1: padding.
  template <typename Action>
  void for_entries(int n, const Action &action) const
  {
    for (int r = 0; r < lanes; ++r)
      if (ordered)
        for (int k = 0; k < n; ++k)
          action(r, k, order[r * longest + k]);
      else
        {
          for (int k = 0; k < n_blocks[r]; ++k)
            action(r, k, k);
          for (int k = n_blocks[r]; k < n; ++k)
            action(r, k, -1);
        }
  }

  /// Reads the nodes from `first` on or, with `order`, the nodes first + order[r].
  void read(int first, const unsigned char *order = nullptr)
  {
    ordered = false;
    for (int r = 0; r < lanes; ++r)
      {
        const int row = (first + (order != nullptr ? order[r] : r)) * m;
        n_blocks[r]   = row < A.n_rows ? static_cast<int>((A.end(row) - A.row_start[row]) / m) : 0;
        if (n_blocks[r] == 0)
          continue;
        columns[r] = A.column + A.row_start[row];
        for (int c = 0; c < m; ++c)
          values[r * m + c] = A.value + A.row_start[row + c];
      }
  }

  /// Puts the entries of all rows, where m = 1, into n_windows windows of `length` columns below n_cols. Each window
  /// has an entry of each row at most, and the caller sets n_windows to the entries of the longest row. Returns whether
  /// it is possible; else the order stays.
  bool sort_by_windows(int n_windows, int length, int n_cols)
  {
    constexpr int               none = std::numeric_limits<int>::max();
    std::array<int, most_lanes> next{}; // block of each node that has no window
    std::array<int, most_lanes> head;   // its column
    const auto                  head_of = [&](int r) { return next[r] < n_blocks[r] ? columns[r][next[r]] : none; };
    longest                             = n_windows;
    order.resize(static_cast<std::size_t>(lanes) * longest);
    windows.resize(n_windows);
    for (int r = 0; r < lanes; ++r)
      head[r] = head_of(r);
    for (int k = 0; k < n_windows; ++k)
      {
        const int begin = windows[k] = *std::min_element(head.begin(), head.begin() + lanes);
        if (begin > n_cols - length)
          return false;
        int left = 0; // of the entries of any row, the most
        for (int r = 0; r < lanes; ++r)
          {
            const bool taken       = head[r] < begin + length; // no branch: it would often be guessed wrong
            order[r * longest + k] = taken ? next[r] : -1;
            next[r] += taken;
            head[r] = head_of(r);
            left    = std::max(left, n_blocks[r] - next[r]);
          }
        if (left >= n_windows - k)
          return false;
      }
    return ordered = true;
  }

  /// Returns whether all nodes have the values of the first node of `head`, block by block; it has as many blocks.
  /// Values may differ by `rounding` times the largest one of their row. With `each`, node r is compared with node r of
  /// `head`.
  bool same_values(const SliceRows &head, double rounding, bool each = false) const
  {
    for (int r = 0; r < lanes; ++r)
      for (int c = 0; c < m; ++c)
        {
          const int     n = n_blocks[r] * m, of = each ? r : 0;
          const double *a = head.values[of * m + c], *b = values[r * m + c];
          double        largest = 0;
          for (int k = 0; k < n; ++k)
            largest = std::max(largest, std::abs(b[k]));
          const double limit = rounding * largest;
          bool         same  = true; // false where a value is no number
          for (int k = 0; k < n; ++k)
            same &= std::abs(b[k] - a[k]) <= limit;
          if (!same)
            return false;
        }
    return true;
  }

  /// Returns whether the nodes have the columns of the nodes of `head`, each larger by `further`.
  bool same_columns(const SliceRows &head, int further) const
  {
    bool same = n_blocks == head.n_blocks;
    for (int r = 0; r < lanes && same; ++r)
      for (int k = 0; k < n_blocks[r] && same; ++k)
        same = columns[r][k * m] == head.columns[r][k * m] + further;
    return same;
  }

private:
  static constexpr int most_lanes = 16;

  const RowsView             &A;
  bool                        ordered = false; // by windows
  std::vector<int>            n_blocks;        // of each node
  std::vector<const double *> values;          // of each row
  std::vector<const int *>    columns;         // of each node's first row
  int                         longest = 0;     // blocks of a node in `order`
  std::vector<int>            order;           // of each node's blocks; -1: padding
  std::vector<int>            windows;         // first columns of windows
};
} // namespace adamant::host
