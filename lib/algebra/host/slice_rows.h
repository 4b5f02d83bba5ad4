#pragma once

#include "base/csr/csr_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace adamant::host
{
/// The rows of a slice in terms of blocks of m x m entries, in the order of storage. They are stored by ascending
/// columns or, once sorted, by values or by windows. The columns of a node's first row hold for all its rows.
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
    , order(lanes)
  {}

  const int m, lanes;

  int    width(int r) const { return n_blocks[r]; }                                          ///< blocks of node r
  bool   stored(int r, int k) const { return ordered ? order[r][k] >= 0 : k < n_blocks[r]; } ///< else it is padding
  int    column(int r, int k) const { return columns[r][place(r, k) * m]; }
  double value(int r, int k, int c, int d) const { return values[r * m + c][place(r, k) * m + d]; }
  int    window(int k) const { return windows[k]; }

  void read(int slice)
  {
    ordered = by_value = false;
    for (int r = 0; r < lanes; ++r)
      {
        const int row = (slice * lanes + r) * m;
        n_blocks[r]   = row < A.n_rows ? static_cast<int>((A.end(row) - A.row_start[row]) / m) : 0;
        if (n_blocks[r] == 0)
          continue;
        columns[r] = A.column + A.row_start[row];
        for (int c = 0; c < m; ++c)
          values[r * m + c] = A.value + A.row_start[row + c];
      }
  }

  void sort_by_value()
  {
    ordered = by_value = true;
    for (int r = 0; r < lanes; ++r)
      {
        order[r].resize(n_blocks[r]);
        std::iota(order[r].begin(), order[r].end(), 0);
        const auto *const *rows = &values[r * m];
        std::sort(order[r].begin(), order[r].end(), [rows, m = m](int k, int l) {
          for (int c = 0; c < m; ++c)
            for (int d = 0; d < m; ++d)
              if (const double a = rows[c][k * m + d], b = rows[c][l * m + d]; a != b)
                return a < b;
          return k < l;
        });
      }
  }

  /// Puts the entries of all rows, where m = 1, into n_windows windows of `length` columns below n_cols. Each window
  /// has an entry of each row at most, and the caller sets n_windows to the entries of the longest row. Returns whether
  /// it is possible; else the order stays.
  bool sort_by_windows(int n_windows, int length, int n_cols)
  {
    std::vector<int> next(lanes, 0);
    windows.clear();
    for (auto &o : order)
      o.clear();
    for (int k = 0; k < n_windows; ++k)
      {
        int begin = std::numeric_limits<int>::max();
        for (int r = 0; r < lanes; ++r)
          if (next[r] < n_blocks[r])
            begin = std::min(begin, columns[r][next[r]]);
        if (begin > n_cols - length)
          return false;
        windows.push_back(begin);
        for (int r = 0; r < lanes; ++r)
          {
            const bool in_window = next[r] < n_blocks[r] && columns[r][next[r]] < begin + length;
            order[r].push_back(in_window ? next[r]++ : -1);
          }
      }
    return ordered = next == n_blocks;
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
          if (!by_value)
            for (int k = 0; k < n; ++k)
              same &= std::abs(b[k] - a[k]) <= limit;
          else
            for (int k = 0; k < n_blocks[r]; ++k)
              for (int d = 0; d < m; ++d)
                same &= std::abs(b[order[r][k] * m + d] - a[head.order[of][k] * m + d]) <= limit;
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
  int place(int r, int k) const { return ordered ? order[r][k] : k; }

  const RowsView               &A;
  bool                          ordered = false, by_value = false;
  std::vector<int>              n_blocks; // of each node
  std::vector<const double *>   values;   // of each row
  std::vector<const int *>      columns;  // of each node's first row
  std::vector<std::vector<int>> order;    // of each node's blocks; -1: padding
  std::vector<int>              windows;  // first columns of windows
};
} // namespace adamant::host
