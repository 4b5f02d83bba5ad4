#include "base/csr_submatrix.h"

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
  part.row_start.assign(rows.size() + 1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    {
      for (auto k = A.row_start[rows[i]]; k < A.row_start[rows[i] + 1]; ++k)
        if (number[A.column[k]] >= 0)
          {
            part.column.push_back(number[A.column[k]]);
            part.value.push_back(A.value[k]);
          }
      part.row_start[i + 1] = static_cast<std::int64_t>(part.column.size());
    }
  return part;
}
} // namespace adamant
