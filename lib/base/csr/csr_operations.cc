#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"

#include <cstddef>

namespace adamant
{
namespace
{
// Calls action(l, a) for each entry l of B that takes part in a row of A B, times a.
template <class Action>
void for_row_of_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, int row, const Action &action)
{
  for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
    for (auto l = B.row_start[A.column[k]], end = B.row_start[A.column[k] + 1]; l < end; ++l)
      action(l, A.value[k]);
}

// Sets the n values of a row of A B; `sums` has a place for each column.
void set_row_of_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, int row, const int *column,
                        EntryNumber n, Array<double> &sums, double *value)
{
  for (EntryNumber k = 0; k < n; ++k)
    sums[column[k]] = 0.;
  for_row_of_product(A, B, row, [&](EntryNumber l, double a) { sums[B.column[l]] += a * B.value[l]; });
  for (EntryNumber k = 0; k < n; ++k)
    value[k] = sums[column[k]];
}
} // namespace

CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, bool sorted)
{
  CSRMatrix<double> C;
  C.n_rows = A.n_rows;
  C.n_cols = B.n_cols;
  C.row_start.resize(A.n_rows + 1);
  std::vector<std::pair<Array<int>, Array<double>>> kept(omp_get_max_threads());
  for_row_ranges(A.n_rows, [&](int first, int end) {
    auto &[columns, values] = kept[omp_get_thread_num()];
    Array<int>    last_row(B.n_cols, -1); // that has met the column
    Array<double> sums(B.n_cols);
    EntryNumber   n = 0;
    for (int row = first; row < end; ++row)
      {
        const auto  begin = n;
        EntryNumber most  = n; // entries, were all columns different
        for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
          most += B.row_start[A.column[k] + 1] - B.row_start[A.column[k]];
        if (most > static_cast<EntryNumber>(columns.size()))
          {
            const auto expected = most + (n / (row - first + 1) + 1) * (end - row); // rows to come are like former ones
            columns.resize(std::max<std::size_t>(expected, columns.size() + columns.size() / 2));
            values.resize(columns.size());
          }
        int *const column = columns.data();
        for_row_of_product(A, B, row,
                           [&](EntryNumber l, double) { // without a branch, which would often be guessed wrong
                             int &last = last_row[column[n] = B.column[l]];
                             n += last != row;
                             last = row;
                           });
        if (sorted)
          std::sort(column + begin, column + n);
        set_row_of_product(A, B, row, column + begin, n - begin, sums, values.data() + begin);
        C.row_start[row + 1] = n - begin;
      }
    columns.resize(n);
    values.resize(n);
  });
  finish_row_starts(C);
  if (kept.size() == 1) // no copies
    {
      C.column = std::move(kept[0].first);
      C.value  = std::move(kept[0].second);
      return C;
    }
  for_row_ranges(A.n_rows, [&](int first, int) {
    auto &[columns, values] = kept[omp_get_thread_num()];
    std::copy(columns.begin(), columns.end(), C.column.begin() + C.row_start[first]);
    std::copy(values.begin(), values.end(), C.value.begin() + C.row_start[first]);
    kept[omp_get_thread_num()] = {};
  });
  return C;
}

void local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, CSRMatrix<double> &C)
{
  for_row_ranges(A.n_rows, [&](int first, int end) {
    Array<double> sums(B.n_cols);
    for (int row = first; row < end; ++row)
      if (A.row_start[row] < A.row_start[row + 1])
        set_row_of_product(A, B, row, C.column.data() + C.row_start[row], C.row_start[row + 1] - C.row_start[row], sums,
                           C.value.data() + C.row_start[row]);
  });
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

// Returns the number of each column of component c among the columns of this component; -1 for other columns.
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
  const Array<int> number  = numbers_in_component(A, m, column);
  const int        n_cols  = static_cast<int>(A.n_cols - std::count(number.begin(), number.end(), -1));
  const auto       ghosts  = A.ghosts ? std::make_shared<ExchangePlan>(component_plan(*A.ghosts, m, column)) : nullptr;
  auto             block   = matrix_of_rows(A.n_rows / m, n_cols, [&](int i, Row &entries) {
    for (auto k = A.row_start[i * m + row]; k < A.row_start[i * m + row + 1]; ++k)
      if (number[A.column[k]] >= 0)
        entries.emplace_back(number[A.column[k]], A.value[k]);
  });
  block.ghosts = ghosts;
  return block;
}

CSRMatrix<double> sum_of_ghosts(const std::shared_ptr<const ExchangePlan> &plan, const Array<int> &rows, int n_rows)
{
  auto S   = transpose(matrix_of_rows(plan->n_owned + plan->n_ghosts(), n_rows, [&](int i, Row &entries) {
    if (i >= plan->n_owned) // each ghost belongs to one row
      entries.emplace_back(rows[i - plan->n_owned], 1.);
  }));
  S.ghosts = plan;
  return S;
}
} // namespace adamant
