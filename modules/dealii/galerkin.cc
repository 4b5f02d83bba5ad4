#include "dealii/galerkin.h"

#include "base/exchange_plan.h"
#include "base/row_ranges.h"

#include <deal.II/base/mpi.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// Sums the rows of A B, one after the other. `place` holds where a column of the present row stands behind its begin;
// places of former rows lie before it.
class RowSum
{
public:
  RowSum(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
    : A(A)
    , B(B)
    , place(B.n_cols, -1)
  {}

  // Appends row i, with the columns in the order in which they are met.
  void append(int i, Array<int> &columns, Array<double> &values)
  {
    const auto  begin = static_cast<EntryNumber>(columns.size());
    EntryNumber most  = 0; // so many entries, where no column is met twice
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      most += B.row_start[A.column[k] + 1] - B.row_start[A.column[k]];
    most = begin + std::min<EntryNumber>(most, B.n_cols);
    if (static_cast<std::size_t>(most) > columns.capacity())
      {
        columns.reserve(2 * most);
        values.reserve(2 * most);
      }
    columns.resize(most);
    values.resize(most);
    int *const    column = columns.data();
    double *const value  = values.data();
    EntryNumber   end    = begin;
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      {
        const double a = A.value[k];
        for (auto l = B.row_start[A.column[k]], last = B.row_start[A.column[k] + 1]; l < last; ++l)
          if (auto &at = place[B.column[l]]; at >= begin)
            value[at] += a * B.value[l];
          else
            {
              at           = end;
              column[end]  = B.column[l];
              value[end++] = a * B.value[l];
            }
      }
    columns.resize(end);
    values.resize(end);
  }

private:
  const CSRMatrix<double> &A, &B;
  Array<EntryNumber>       place;
};

// Sorts the entries from `begin` on by their columns.
void sort_row(std::size_t begin, Array<int> &column, Array<double> &value, Row &scratch)
{
  scratch.clear();
  for (std::size_t k = begin; k < column.size(); ++k)
    scratch.emplace_back(column[k], value[k]);
  std::sort(scratch.begin(), scratch.end(), [](const Entry &a, const Entry &b) { return a.first < b.first; });
  for (const auto &[j, sum] : scratch)
    {
      column[begin]  = j;
      value[begin++] = sum;
    }
}

// Returns A B. Where rows are not sorted, their columns have the order in which they are met. Row i with identity(i)
// has a one in column i.
template <class Identity>
CSRMatrix<double> multiply(const CSRMatrix<double> &A, const CSRMatrix<double> &B, bool sorted,
                           const Identity &identity)
{
  CSRMatrix<double> C;
  C.n_rows = A.n_rows;
  C.n_cols = B.n_cols;
  C.row_start.resize(A.n_rows + 1);
  std::vector<std::pair<Array<int>, Array<double>>> kept(omp_get_max_threads());
  for_row_ranges(A.n_rows, [&](int first, int end) {
    auto &[column, value] = kept[omp_get_thread_num()];
    RowSum sum(A, B);
    Row    scratch;
    for (int i = first; i < end; ++i)
      {
        const std::size_t begin = column.size();
        if (identity(i))
          {
            column.push_back(i);
            value.push_back(1.);
          }
        else
          sum.append(i, column, value);
        if (sorted)
          sort_row(begin, column, value, scratch);
        C.row_start[i + 1] = static_cast<EntryNumber>(column.size() - begin);
      }
  });
  if (kept.size() == 1) // no copies
    {
      C.row_start[0] = 0;
      for (int i = 0; i < C.n_rows; ++i)
        C.row_start[i + 1] += C.row_start[i];
      C.column = std::move(kept[0].first);
      C.value  = std::move(kept[0].second);
      return C;
    }
  finish_row_starts(C);
  for_row_ranges(A.n_rows, [&](int first, int) {
    auto &[column, value] = kept[omp_get_thread_num()];
    std::copy(column.begin(), column.end(), C.column.begin() + C.row_start[first]);
    std::copy(value.begin(), value.end(), C.value.begin() + C.row_start[first]);
    kept[omp_get_thread_num()] = {};
  });
  return C;
}

CSRMatrix<double> multiply(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  return multiply(A, B, false, [](int) { return false; });
}

// Rows on their way: number of entries and global columns; values.
using Message = std::pair<std::vector<Index>, std::vector<double>>;

std::map<unsigned int, Message> rows_of_ghosts(const CSRMatrix<double> &P, const ExchangePlan &fine)
{
  std::map<unsigned int, Message> outgoing;
  for (const auto &[rank, begin, end] : fine.sends)
    for (int s = begin; s < end; ++s)
      {
        auto &[indices, values] = outgoing[rank];
        const int row           = fine.sent[s];
        indices.push_back(P.row_start[row + 1] - P.row_start[row]);
        for (auto k = P.row_start[row]; k < P.row_start[row + 1]; ++k)
          {
            indices.push_back(static_cast<Index>(P.ghosts->global(P.column[k])));
            values.push_back(P.value[k]);
          }
      }
  return dealii::Utilities::MPI::some_to_some(fine.communicator.handle(), outgoing);
}
} // namespace

GalerkinProduct::GalerkinProduct(SharedMatrix P_, SharedMatrix R_, Array<char> is_free_)
  : P(std::move(P_))
  , R(std::move(R_))
  , is_free(std::move(is_free_))
{}

// The rows of P for all columns of A.
void GalerkinProduct::fetch_rows(const CSRMatrix<double> &A)
{
  const ExchangePlan &fine     = *A.ghosts;
  const auto          incoming = rows_of_ghosts(*P, fine);
  std::vector<Index>  ghosts(P->ghosts->ghosts.begin(), P->ghosts->ghosts.end());
  for (const auto &[rank, message] : incoming)
    for (std::size_t k = 0; k < message.first.size(); k += 1 + message.first[k])
      ghosts.insert(ghosts.end(), message.first.begin() + k + 1, message.first.begin() + k + 1 + message.first[k]);
  const MPI_Comm comm = fine.communicator.handle();
  columns             = make_partitioner(owned_range(P->ghosts->n_owned, comm), std::move(ghosts), comm);
  const auto local    = [this](std::uint64_t global) {
    return static_cast<int>(columns->global_to_local(static_cast<Index>(global)));
  };

  auto all    = std::make_shared<CSRMatrix<double>>();
  all->n_rows = fine.n_owned + fine.n_ghosts();
  all->n_cols = static_cast<int>(columns->locally_owned_size() + columns->n_ghost_indices());
  all->row_start.assign(P->row_start.begin(), P->row_start.end());
  all->value = P->value;
  for (const int column : P->column)
    all->column.push_back(local(P->ghosts->global(column)));
  for (const auto &[rank, begin, end] : fine.receives)
    {
      const auto &[indices, values] = incoming.at(rank);
      all->value.insert(all->value.end(), values.begin(), values.end());
      for (std::size_t k = 0; k < indices.size();)
        {
          for (const std::size_t last = k + indices[k]; k < last;)
            all->column.push_back(local(indices[++k]));
          ++k;
          all->row_start.push_back(static_cast<EntryNumber>(all->column.size()));
        }
    }
  CSRMatrix<double> owned = *all;
  owned.n_rows            = P->n_rows;
  owned.row_start.resize(P->n_rows + 1);
  owned.column.resize(owned.row_start.back());
  owned.value.resize(owned.row_start.back());
  columns_of_P = std::make_shared<CSRMatrix<double>>(transpose(owned));
  rows_of_P    = std::move(all);
}

// This rank's part of the sums: its rows of A, for the coarse rows of all ranks that they reach.
CSRMatrix<double> GalerkinProduct::local_part(const CSRMatrix<double> &A) const
{
  const bool alone = !rows_of_P;
  const auto AP    = multiply(A, alone ? *P : *rows_of_P);
  const auto fixed = [&](int i) { return i < static_cast<int>(is_free.size()) && is_free[i] == 0; };
  return multiply(alone ? *R : *columns_of_P, AP, true, fixed);
}

CSRMatrix<double> GalerkinProduct::compute(const CSRMatrix<double> &A)
{
  if (A.ghosts)
    fetch_rows(A);
  auto part = local_part(A);
  return A.ghosts ? sum_rows(std::move(part), *columns, *columns) : part;
}

void GalerkinProduct::update(const CSRMatrix<double> &A, CSRMatrix<double> &C)
{
  auto part = local_part(A);
  if (A.ghosts)
    part = sum_rows(std::move(part), *columns, *columns);
  C.value = std::move(part.value);
}
} // namespace adamant
