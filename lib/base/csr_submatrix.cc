#include "base/csr_submatrix.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns)
{
  Array<int> number(A.n_cols, -1);
  for (std::size_t j = 0; j < columns.size(); ++j)
    number[columns[j]] = static_cast<int>(j);
  CSRMatrix<double> part;
  part.n_rows = static_cast<int>(rows.size());
  part.n_cols = static_cast<int>(columns.size());
  part.row_start.push_back(0);
  std::vector<std::pair<int, double>> row;
  for (const int i : rows)
    {
      row.clear();
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        if (number[A.column[k]] >= 0 && A.value[k] != 0.)
          row.emplace_back(number[A.column[k]], A.value[k]);
      std::sort(row.begin(), row.end());
      for (const auto &[column, value] : row)
        {
          part.column.push_back(column);
          part.value.push_back(value);
        }
      part.row_start.push_back(static_cast<std::int64_t>(part.column.size()));
    }
  return part;
}
} // namespace adamant
