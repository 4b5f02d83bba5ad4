#include "dealii/galerkin.h"

#include "base/exchange_plan.h"
#include "base/row_ranges.h"

#include <deal.II/base/mpi.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// The rows of R A P, one after the other. The rows of A P that a chunk of rows needs are computed together, and forgotten
// with the chunk: a cache holds them, where A P as a whole is several times as large as A.
class TripleProduct
{
public:
  TripleProduct(const CSRMatrix<double> &R, const CSRMatrix<double> &A, const CSRMatrix<double> &P)
    : R(R)
    , A(A)
    , P(P)
    , number(A.n_rows, -1)
    , place(P.n_cols, -1)
  {}

  // Writes row i to an empty `row`, with the columns in the order in which they are met.
  void read(int i, Row &row)
  {
    if (i < first || i >= end)
      multiply(i, std::min(i + chunk, R.n_rows));
    for (auto k = R.row_start[i]; k < R.row_start[i + 1]; ++k)
      {
        const int j = number[R.column[k]];
        for (auto l = start[j]; l < start[j + 1]; ++l)
          add(R.value[k] * rows[l].second, rows[l].first, row, 0);
      }
    forget(row, 0);
  }

private:
  // The rows of A P for the rows `from` to `to` - 1 of R.
  void multiply(int from, int to)
  {
    for (const int j : fine)
      number[j] = -1;
    first = from;
    end   = to;
    fine.clear();
    rows.clear();
    start.assign(1, 0);
    for (auto k = R.row_start[first]; k < R.row_start[end]; ++k)
      if (const int j = R.column[k]; number[j] < 0)
        {
          number[j] = static_cast<int>(fine.size());
          fine.push_back(j);
          for (auto l = A.row_start[j]; l < A.row_start[j + 1]; ++l)
            for (auto e = P.row_start[A.column[l]], last = P.row_start[A.column[l] + 1]; e < last; ++e)
              add(A.value[l] * P.value[e], P.column[e], rows, start.back());
          forget(rows, start.back());
          start.push_back(rows.size());
        }
  }

  // Adds to the row whose entries begin at `begin`.
  void add(double value, int column, Row &list, std::size_t begin)
  {
    if (int &at = place[column]; at >= 0)
      list[begin + at].second += value;
    else
      {
        at = static_cast<int>(list.size() - begin);
        list.emplace_back(column, value);
      }
  }

  void forget(const Row &list, std::size_t begin)
  {
    for (std::size_t k = begin; k < list.size(); ++k)
      place[list[k].first] = -1;
  }

  static constexpr int chunk = 256;

  const CSRMatrix<double> &R, &A, &P;
  int                      first = 0, end = 0; // the chunk
  std::vector<int>         fine;               // rows of A P that it needs
  Row                      rows;               // the entries of these
  std::vector<std::size_t> start;              // where each of them begins in `rows`
  Array<int>               number;             // of each row of A, its number in `fine`, or -1
  Array<int>               place;              // of each column, its entry in the row that is summed, or -1
};

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

// Sets C to this rank's part of the sums: its rows of A, for the coarse rows of all ranks that they reach. Constrained
// DoFs of this rank get a one on the diagonal. Where C has the pattern, its values alone are set.
void GalerkinProduct::add_up(const CSRMatrix<double> &A, CSRMatrix<double> &C, bool values_alone) const
{
  const CSRMatrix<double> &fine = rows_of_P ? *rows_of_P : *P, &coarse = columns_of_P ? *columns_of_P : *R;
  const auto               fixed = [&](int i) { return i < static_cast<int>(is_free.size()) && is_free[i] == 0; };
  std::vector<std::optional<TripleProduct>> products(omp_get_max_threads());
  const auto                                read = [&](int i, Row &row) {
    auto &product = products[omp_get_thread_num()];
    if (!product)
      product.emplace(coarse, A, fine);
    product->read(i, row);
    std::sort(row.begin(), row.end(), [](const Entry &a, const Entry &b) { return a.first < b.first; });
  };
  if (!values_alone)
    C = matrix_of_rows(coarse.n_rows, fine.n_cols, [&](int i, Row &row) {
      if (fixed(i))
        row.emplace_back(i, 1.);
      else
        read(i, row);
    });
  else
    for_row_ranges(coarse.n_rows, [&](int first, int end) {
      Row row;
      for (int i = first; i < end; ++i)
        if (row.clear(); !fixed(i))
          {
            read(i, row);
            for (std::size_t k = 0; k < row.size(); ++k)
              C.value[C.row_start[i] + k] = row[k].second;
          }
    });
}

CSRMatrix<double> GalerkinProduct::compute(const CSRMatrix<double> &A)
{
  if (A.ghosts)
    fetch_rows(A);
  add_up(A, part, false);
  return A.ghosts ? sum_rows(part, *columns, *columns) : std::move(part);
}

void GalerkinProduct::update(const CSRMatrix<double> &A, CSRMatrix<double> &C)
{
  add_up(A, A.ghosts ? part : C, true);
  if (!A.ghosts)
    return;
  if (!summed)
    summed = std::make_shared<CSRMatrix<double>>(summation(part, C, *columns, *columns));
  C.value = product(*summed, part.value);
}
} // namespace adamant
