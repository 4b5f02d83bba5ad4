#pragma once

#include "base/csr/csr_matrix.h"
#include "base/row_ranges.h"

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
/// A list has hardly more than `usual_length` items, where that is known: this spares copies.
template <typename Item, typename Start, typename Fill, typename Resize, typename Place>
void make_lists(int n, Array<Start> &start, const Fill &fill, const Resize &resize, const Place &place,
                std::size_t usual_length = 0)
{
  start.resize(n + 1);
  std::vector<Array<Item>> kept(omp_get_max_threads()); // what each thread has found, until the places are known
  for_row_ranges(n, [&](int first, int end) {
    std::vector<Item> list;
    auto             &own = kept[omp_get_thread_num()];
    own.reserve((end - first) * usual_length); // pages that stay empty cost nothing
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
    std::size_t k   = start[first];
    auto       &own = kept[omp_get_thread_num()];
    for (const Item &item : own)
      place(k++, item);
    own = Array<Item>(); // which clear() would not free
  });
}

/// Returns the matrix whose row i is made by fill(i, row), on all threads, from an empty row. Its columns have to
/// ascend. Rows have hardly more than `usual_length` entries, where that is known.
template <typename Fill>
CSRMatrix<double> matrix_of_rows(int n_rows, int n_cols, const Fill &fill, std::size_t usual_length = 0)
{
  CSRMatrix<double> A;
  A.n_rows          = n_rows;
  A.n_cols          = n_cols;
  const auto resize = [&A](std::size_t n) {
    A.column.resize(n);
    A.value.resize(n);
  };
  make_lists<Entry>(
    n_rows, A.row_start, fill, resize,
    [&A](std::size_t k, const Entry &entry) { std::tie(A.column[k], A.value[k]) = entry; }, usual_length);
  return A;
}

/// Returns A B, a matrix with as many rows as A and as many columns as B. It has every entry that the patterns allow,
/// and its columns ascend; where they need not be `sorted`, they have the order in which they are met. All matrices are
/// in host memory and on this rank as a whole: the columns of A are rows of B.
CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, bool sorted = true);
/// Sets the values of C = A B, where C has come from local_product() for matrices of the same patterns. Rows that
/// are empty in A stay as they are in C.
void local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B, CSRMatrix<double> &C);

/// Returns the part of A, a system with m components in each node, that couples component `row` to component `column`.
/// It has the rows i with i % m = row and the columns j with j % m = column, by the numbers of their nodes. Entries
/// that are zero stay, as later values may take their places. On several ranks each has its part, with the ghosts of
/// this component only. All is in host memory. Throws RunError where the rows of a node are on several ranks.
CSRMatrix<double> component_block(const CSRMatrix<double> &A, int m, int row, int column);

/// Returns the matrix that adds up the values that other ranks have for this rank's rows. These values are ghosts of a
/// vector x, and `plan` is the plan of x. Row rows[k] of the n_rows has an entry 1 for ghost k; the columns that this
/// rank owns are empty.
CSRMatrix<double> sum_of_ghosts(const std::shared_ptr<const ExchangePlan> &plan, const Array<int> &rows, int n_rows);
} // namespace adamant
