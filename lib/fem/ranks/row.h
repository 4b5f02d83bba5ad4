#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// A row of a sparse matrix under construction: columns and values in any order; a column may occur several times.
using Entry = std::pair<int, double>;
using Row   = std::vector<Entry>;

/// Sorts a row by column and adds up entries of equal columns. The result does not depend on the order of the entries.
inline void compress(Row &row)
{
  std::sort(row.begin(), row.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (kept > 0 && row[kept - 1].first == row[k].first)
      row[kept - 1].second += row[k].second;
    else
      row[kept++] = row[k];
  row.resize(kept);
}
} // namespace adamant
