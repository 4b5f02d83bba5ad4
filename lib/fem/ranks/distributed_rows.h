#pragma once

#include "base/csr/csr_matrix.h"
#include "base/exchange_plan.h"
#include "base/row_ranges.h"

#include <deal.II/base/partitioner.h>

#include <algorithm>
#include <memory>
#include <tuple>
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

/// Makes n lists on all threads; fill(i, list) makes list i from an empty one. The items of list i get the places
/// start[i] to start[i + 1] - 1. First resize(n) makes room for all n items, then place(k, item) writes one to place k.
template <typename Item, typename Start, typename Fill, typename Resize, typename Place>
void make_lists(int n, Array<Start> &start, const Fill &fill, const Resize &resize, const Place &place)
{
  start.resize(n + 1);
  std::vector<Array<Item>> kept(omp_get_max_threads()); // what each thread has found, until the places are known
  for_row_ranges(n, [&](int first, int end) {
    std::vector<Item> list;
    auto             &own = kept[omp_get_thread_num()];
    for (int i = first; i < end; ++i)
      {
        list.clear();
        fill(i, list);
        own.insert(own.end(), list.begin(), list.end());
        start[i + 1] = static_cast<Start>(list.size());
      }
  });
  std::size_t sum = start[0] = 0;
  for (int i = 0; i < n; ++i)
    start[i + 1] = static_cast<Start>(sum += start[i + 1]);
  resize(sum);
  for_row_ranges(n, [&](int first, int) {
    std::size_t k = start[first];
    for (const Item &item : kept[omp_get_thread_num()])
      place(k++, item);
  });
}

/// Returns the matrix whose row i is made by fill(i, row), on all threads, from an empty row. Its columns have to
/// ascend.
template <typename Fill>
CSRMatrix<double> matrix_of_rows(int n_rows, int n_cols, const Fill &fill)
{
  CSRMatrix<double> A;
  A.n_rows          = n_rows;
  A.n_cols          = n_cols;
  const auto resize = [&A](std::size_t n) {
    A.column.resize(n);
    A.value.resize(n);
  };
  make_lists<Entry>(n_rows, A.row_start, fill, resize,
                    [&A](std::size_t k, const Entry &entry) { std::tie(A.column[k], A.value[k]) = entry; });
  return A;
}

/// Global numbers, of which each rank owns a range and reads others as ghosts. Local numbers count the owned numbers
/// first and then the ghosts, both ascending.
using Partitioner = dealii::Utilities::MPI::Partitioner;

/// Returns this rank's range of `n_owned` global numbers; ranges follow each other in the order of the ranks. Throws
/// IndexOverflow where deal.II's type cannot count all numbers. All ranks call it together.
dealii::IndexSet owned_range(std::uint64_t n_owned, MPI_Comm comm);

/// Returns how the algebra fills the ghosts of `numbers`; null on one rank, where there are no ghosts.
std::shared_ptr<const ExchangePlan> exchange_plan(const Partitioner &numbers);

/// Adds up a matrix's rows that ranks have computed in parts. `local` has a row for each local number of `rows`, and
/// its columns are local numbers of `columns`. The result has the owned rows; its columns are the owned numbers and the
/// ghosts that occur. All ranks call it together. On one rank it returns `local`.
CSRMatrix<double> sum_rows(CSRMatrix<double> local, const Partitioner &rows, const Partitioner &columns);

/// Returns the matrix of ones that computes the values of `sum` = sum_rows(local, rows, columns) from the values of
/// `local` on all ranks. It has a row for each entry of `sum` and a column for each entry of `local`. Its ghosts are
/// other ranks' entries in rows of this rank. Only the matrices' patterns are read. All ranks call it together.
CSRMatrix<double> summation(CSRMatrix<double> local, const CSRMatrix<double> &sum, const Partitioner &rows,
                            const Partitioner &columns);

/// Returns a Partitioner with the owned numbers and these ghosts. `ghosts` may be in any order, repeat numbers and
/// contain owned ones. It also works where there are no numbers at all; deal.II's own constructor then divides by zero.
std::shared_ptr<const Partitioner> make_partitioner(const dealii::IndexSet                      &owned,
                                                    std::vector<dealii::types::global_dof_index> ghosts, MPI_Comm comm);

/// Returns the Partitioner with the owned numbers and ghosts of a plan.
std::shared_ptr<const Partitioner> make_partitioner(const ExchangePlan &plan);

/// Returns the matrix that applies A to each of n components. Its vectors hold the owned values of one component after
/// the other. All ranks call it together.
CSRMatrix<double> by_components(const CSRMatrix<double> &A, int n_components);

/// Returns A B, with every entry that the patterns allow; columns ascend. All ranks call it together.
CSRMatrix<double> product(const CSRMatrix<double> &A, const CSRMatrix<double> &B);

/// Returns the owned rows of a matrix whose rows are complete on their owner.
CSRMatrix<double> owned_rows(const CSRMatrix<double> &local, const Partitioner &rows, const Partitioner &columns);
} // namespace adamant
