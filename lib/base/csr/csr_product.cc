#include "base/csr/csr_product.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace adamant
{
namespace
{
// The columns of one row of A B after the other.
class RowsOfProduct
{
public:
  RowsOfProduct(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
    : A(A)
    , B(B)
    , last_row(B.n_cols, -1)
  {}

  const std::vector<int> &columns(int row)
  {
    found.clear();
    for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      for (auto l = B.row_start[A.column[k]]; l < B.row_start[A.column[k] + 1]; ++l)
        if (const int column = B.column[l]; last_row[column] != row)
          {
            last_row[column] = row;
            found.push_back(column);
          }
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  const CSRMatrix<double> &A, &B;
  std::vector<int>         found, last_row; // the last row that had each column
};
} // namespace

CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  CSRMatrix<double> C;
  C.n_rows = A.n_rows;
  C.n_cols = B.n_cols;
  C.row_start.resize(A.n_rows + 1);
#pragma omp parallel
  {
    RowsOfProduct rows(A, B);
#pragma omp for schedule(static)
    for (int row = 0; row < A.n_rows; ++row)
      C.row_start[row + 1] = static_cast<std::int64_t>(rows.columns(row).size());
  }
  finish_row_starts(C);
#pragma omp parallel
  {
    RowsOfProduct       rows(A, B);
    std::vector<double> sums(B.n_cols, 0.);
#pragma omp for schedule(static)
    for (int row = 0; row < A.n_rows; ++row)
      {
        for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
          for (auto l = B.row_start[A.column[k]]; l < B.row_start[A.column[k] + 1]; ++l)
            sums[B.column[l]] += A.value[k] * B.value[l];
        auto place = C.row_start[row];
        for (const int column : rows.columns(row))
          {
            C.column[place]  = column;
            C.value[place++] = sums[column];
            sums[column]     = 0.;
          }
      }
  }
  return C;
}
} // namespace adamant
