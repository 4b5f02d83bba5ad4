#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// A row of a sparse matrix in the making: columns and values, in any order, columns perhaps several times.
using Entry = std::pair<int, double>;
using Row   = std::vector<Entry>;

/// Sorts by column and adds up the entries of equal columns, in an order that does not depend on how they came.
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
