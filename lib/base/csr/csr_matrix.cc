#include "base/csr/csr_operations.h"
#include "base/exchange_plan.h"

namespace adamant
{
void finish_row_starts(CSRMatrix<double> &matrix)
{
  matrix.row_start[0] = 0;
  for (int i = 0; i < matrix.n_rows; ++i)
    matrix.row_start[i + 1] += matrix.row_start[i];
  matrix.column.resize(matrix.n_nonzeros());
  matrix.value.resize(matrix.n_nonzeros());
}

CSRMatrix<double> transpose(const CSRMatrix<double> &a)
{
  CSRMatrix<double> b;
  b.n_rows = a.n_cols;
  b.n_cols = a.n_rows;
  list_by_rows(
    b.n_rows, a.n_rows, b.row_start,
    [&](int i, const auto &add) {
      for (auto k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
        add(a.column[k], k);
    },
    [&](std::size_t n) {
      b.column.resize(n);
      b.value.resize(n);
    },
    [&](EntryNumber place, int i, EntryNumber k) {
      b.column[place] = i;
      if (!a.value.empty())
        b.value[place] = a.value[k];
    });
  return b;
}

double entry(const CSRMatrix<double> &matrix, int row, int col)
{
  return view_of(matrix).entry(row, col);
}

Array<double> diagonal(const CSRMatrix<double> &matrix)
{
  Array<double> d(matrix.n_rows);
  for (int i = 0; i < matrix.n_rows; ++i)
    d[i] = entry(matrix, i, i);
  return d;
}

Array<double> product(const CSRMatrix<double> &A, const Array<double> &owned)
{
  const Array<double> x = A.ghosts ? with_ghosts(*A.ghosts, owned) : owned;
  Array<double>       y(A.n_rows, 0.);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      y[i] += A.value[k] * x[A.column[k]];
  return y;
}

Array<double> transposed_product(const CSRMatrix<double> &A, const Array<double> &x)
{
  Array<double> y(A.n_cols, 0.);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      y[A.column[k]] += A.value[k] * x[i];
  return A.ghosts ? sum_ghosts(*A.ghosts, y) : y;
}

namespace
{
// The columns first .. first + n_cols - 1.
CSRMatrix<double> columns_of(const CSRMatrix<double> &A, int first, int n_cols)
{
  auto block = matrix_of_rows(A.n_rows, n_cols, [&](int i, Row &row) {
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      if (const int column = A.column[k] - first; column >= 0 && column < n_cols)
        row.emplace_back(column, A.value.empty() ? 0. : A.value[k]);
  });
  if (A.value.empty())
    block.value = Array<double>();
  return block;
}
} // namespace

CSRMatrix<double> owned_block(const CSRMatrix<double> &A)
{
  return columns_of(A, 0, A.ghosts->n_owned);
}

CSRMatrix<double> ghost_block(const CSRMatrix<double> &A)
{
  return columns_of(A, A.ghosts->n_owned, A.ghosts->n_ghosts());
}
} // namespace adamant
