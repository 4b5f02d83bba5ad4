#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
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

namespace
{
// The part of a plan that exchanges component c of each node's m.
ExchangePlan component_plan(const ExchangePlan &all, int m, int c)
{
  if (all.n_owned % m != 0 || all.first_owned % m != 0)
    throw RunError("a component of a matrix: the " + std::to_string(m) + " rows of a node are on several ranks");
  ExchangePlan part;
  part.communicator = all.communicator;
  part.n_owned      = all.n_owned / m;
  part.first_owned  = all.first_owned / m;
  part.n_global     = all.n_global / m;
  // Both sides of a message leave out the same entries, and messages without any.
  const auto keep = [m, c](const auto &from, const auto &messages, auto &to, auto &kept) {
    for (const auto &message : messages)
      {
        const int begin = static_cast<int>(to.size());
        for (int k = message.begin; k < message.end; ++k)
          if (static_cast<int>(from[k] % m) == c)
            to.push_back(from[k] / m);
        if (const int end = static_cast<int>(to.size()); end > begin)
          kept.push_back({message.rank, begin, end});
      }
  };
  keep(all.sent, all.sends, part.sent, part.sends);
  keep(all.ghosts, all.receives, part.ghosts, part.receives);
  return part;
}

// The number of each column of A among those of component c; -1 elsewhere.
Array<int> numbers_in_component(const CSRMatrix<double> &A, int m, int c)
{
  Array<int> number(A.n_cols, -1);
  for (int j = 0, n = 0; j < A.n_cols; ++j)
    if (static_cast<int>((A.ghosts ? A.ghosts->global(j) : j) % m) == c)
      number[j] = n++;
  return number;
}
} // namespace

CSRMatrix<double> component_block(const CSRMatrix<double> &A, int m, int row, int column)
{
  const Array<int>  number = numbers_in_component(A, m, column);
  CSRMatrix<double> block;
  block.n_rows = A.n_rows / m;
  block.n_cols = static_cast<int>(A.n_cols - std::count(number.begin(), number.end(), -1));
  if (A.ghosts)
    block.ghosts = std::make_shared<ExchangePlan>(component_plan(*A.ghosts, m, column));
  block.row_start.push_back(0);
  for (int i = row; i < A.n_rows; i += m)
    {
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        if (number[A.column[k]] >= 0)
          {
            block.column.push_back(number[A.column[k]]);
            block.value.push_back(A.value[k]);
          }
      block.row_start.push_back(static_cast<std::int64_t>(block.column.size()));
    }
  return block;
}

CSRMatrix<double> sum_of_ghosts(const std::shared_ptr<const ExchangePlan> &plan, const Array<int> &rows, int n_rows)
{
  CSRMatrix<double> S; // transposed, as each ghost belongs to one row
  S.n_rows = plan->n_owned + plan->n_ghosts();
  S.n_cols = n_rows;
  S.row_start.assign(S.n_rows + 1, 0);
  std::iota(S.row_start.begin() + plan->n_owned, S.row_start.end(), 0);
  S.column = rows;
  S.value.assign(rows.size(), 1.);
  S        = transpose(S);
  S.ghosts = plan;
  return S;
}
} // namespace adamant
