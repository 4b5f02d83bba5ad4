#include "dealii/galerkin/galerkin_product.h"

#include "base/exchange_plan.h"
#include "base/row_ranges.h"
#include "dealii/matrix_rows.h"
#include "dealii/ranks.h"

#include <deal.II/base/mpi.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

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

// This rank's part of the sums: its rows of A, for the coarse rows of all ranks that they reach. Constrained DoFs of
// this rank, which P and R do not have, get a one on the diagonal.
CSRMatrix<double> GalerkinProduct::make_part() const
{
  const auto        sums = local_product(*fine_columns(), AP, false);
  const int         n    = static_cast<int>(is_free.size());
  CSRMatrix<double> result;
  result.n_rows = sums.n_rows;
  result.n_cols = sums.n_cols;
  result.row_start.resize(sums.n_rows + 1);
  for (int i = 0; i < sums.n_rows; ++i)
    result.row_start[i + 1] = i < n && is_free[i] == 0 ? 1 : sums.row_start[i + 1] - sums.row_start[i];
  finish_row_starts(result);
  for_row_ranges(sums.n_rows, [&](int first, int end) {
    std::vector<int> key, rank;
    for (int i = first; i < end; ++i)
      {
        const auto from = sums.row_start[i], to = result.row_start[i];
        const int  length = static_cast<int>(sums.row_start[i + 1] - from);
        if (i < n && is_free[i] == 0)
          {
            result.column[to] = i;
            result.value[to]  = 1.;
            continue;
          }
        key.assign(sums.column.begin() + from, sums.column.begin() + from + length);
        rank_keys(key, rank);
        for (int k = 0; k < length; ++k)
          {
            result.column[to + rank[k]] = sums.column[from + k];
            result.value[to + rank[k]]  = sums.value[from + k];
          }
      }
  });
  return result;
}

CSRMatrix<double> GalerkinProduct::compute(const CSRMatrix<double> &A)
{
  if (A.ghosts)
    fetch_rows(A);
  AP = local_product(A, *fine_rows(), false);
  if (!A.ghosts)
    return make_part();
  part = make_part();
  return sum_rows(part, *columns, *columns);
}

void GalerkinProduct::update(const CSRMatrix<double> &A, CSRMatrix<double> &C)
{
  local_product(A, *fine_rows(), AP);
  local_product(*fine_columns(), AP, columns ? part : C);
  if (columns)
    C.value = product(summation_of(C), part.value);
}

const CSRMatrix<double> &GalerkinProduct::summation_of(const CSRMatrix<double> &C)
{
  if (!summed)
    summed = std::make_shared<CSRMatrix<double>>(summation(part, C, *columns, *columns));
  return *summed;
}

void GalerkinProduct::update(const Device &device, const CompressedRows &A, const CSRMatrix<double> &pattern,
                             CompressedRows &C)
{
  if (!on_device)
    {
      agreed(device.communicator(),
             [&] { on_device = std::make_unique<GalerkinOnDevice>(device, *fine_rows(), *fine_columns(), AP); });
      if (columns)
        on_device->set_part(part, summation_of(pattern));
      AP = part = {};
      rows_of_P = columns_of_P = summed = nullptr;
    }
  on_device->compute(A, C);
}

bool GalerkinProduct::fits_device() const
{
  const auto rows = fine_rows(), columns = fine_columns();
  for (const auto *matrix : {&AP, &part, rows.get(), columns.get()})
    if (matrix->n_nonzeros() > std::numeric_limits<int>::max())
      return false;
  return true;
}
} // namespace adamant
