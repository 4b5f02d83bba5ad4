#include "fem/ranks/distributed_rows.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"

#include <deal.II/base/index_set.h>
#include <deal.II/base/mpi.h>

#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// Rows on their way: global row, number of entries, their columns; and their values.
using Rows = std::pair<std::vector<Index>, std::vector<double>>;

// Sends the rows of ghosts to their owners. Returns the parts of owned rows that other ranks have, by rank.
std::map<unsigned int, Rows> rows_from_others(const CSRMatrix<double> &local, const Partitioner &rows,
                                              const Partitioner &columns)
{
  std::map<unsigned int, Rows> others;
  int                          row = static_cast<int>(rows.locally_owned_size());
  for (const auto &[rank, n_rows] : rows.ghost_targets())
    for (const int end = row + static_cast<int>(n_rows); row < end; ++row)
      {
        const auto begin = local.row_start[row], n = local.row_start[row + 1] - begin;
        if (n == 0)
          continue;
        auto &[indices, values] = others[rank];
        indices.push_back(rows.local_to_global(row));
        indices.push_back(n);
        for (auto k = begin; k < begin + n; ++k)
          indices.push_back(columns.local_to_global(local.column[k]));
        values.insert(values.end(), local.value.begin() + begin, local.value.begin() + begin + n);
      }
  return dealii::Utilities::MPI::some_to_some(rows.get_mpi_communicator(), others);
}

// What other ranks have of the owned rows: entries by local row, in the order of the ranks, so that sums repeat to the
// bit. `columns` has their columns.
std::map<int, Row> received_rows(const std::map<unsigned int, Rows> &from_others, const Partitioner &rows,
                                 const Partitioner &columns)
{
  std::map<int, Row> received;
  for (const auto &[rank, message] : from_others)
    for (std::size_t i = 0, v = 0; i < message.first.size();)
      {
        const auto &[indices, values] = message;
        auto       &row               = received[static_cast<int>(rows.global_to_local(indices[i]))];
        const Index n                 = indices[i + 1];
        i += 2;
        for (const std::size_t end = i + n; i < end; ++i, ++v)
          row.emplace_back(static_cast<int>(columns.global_to_local(indices[i])), values[v]);
      }
  return received;
}

// The columns of the owned rows: the owned numbers, and the ghosts of this rank's entries and of received ones.
std::shared_ptr<const Partitioner> columns_that_occur(const CSRMatrix<double> &local, int n_rows,
                                                      const Partitioner                  &columns,
                                                      const std::map<unsigned int, Rows> &from_others)
{
  const int         n_owned = static_cast<int>(columns.locally_owned_size());
  std::vector<char> occurs(columns.n_ghost_indices(), 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < local.row_start[n_rows]; ++k)
    if (local.column[k] >= n_owned)
      write_atomically(occurs[local.column[k] - n_owned], 1);
  std::vector<Index> ghosts;
  for (std::size_t g = 0; g < occurs.size(); ++g)
    if (occurs[g])
      ghosts.push_back(columns.local_to_global(n_owned + static_cast<unsigned int>(g)));
  for (const auto &[rank, message] : from_others)
    for (auto row = message.first.begin(); row != message.first.end(); row += 2 + row[1])
      ghosts.insert(ghosts.end(), row + 2, row + 2 + row[1]);
  return make_partitioner(columns.locally_owned_range(), std::move(ghosts), columns.get_mpi_communicator());
}

// Returns the local number in `to` of each local number of `from`, which has the same owned ones; -1 where it has none.
Array<int> local_numbers(const Partitioner &to, const Partitioner &from)
{
  const unsigned int n = from.locally_owned_size();
  Array<int>         numbers(n + from.n_ghost_indices(), -1);
  std::iota(numbers.begin(), numbers.begin() + n, 0);
  for (unsigned int i = n; i < numbers.size(); ++i)
    if (const Index ghost = from.local_to_global(i); to.is_ghost_entry(ghost))
      numbers[i] = static_cast<int>(to.global_to_local(ghost));
  return numbers;
}

// Returns how the values of ghost rows, which stand in `local` behind its owned rows, come to the owners of these rows.
// `received` has the rows that this rank gets, with global numbers of entries as values.
std::shared_ptr<const ExchangePlan> plan_of_entries(const CSRMatrix<double> &local, const Partitioner &rows,
                                                    const std::map<unsigned int, Rows> &received)
{
  auto plan          = std::make_shared<ExchangePlan>();
  plan->communicator = Communicator(rows.get_mpi_communicator());
  plan->n_owned      = to_index(local.n_nonzeros(), "entries of a matrix whose values change");
  auto all           = static_cast<double>(local.n_nonzeros());
  plan->first_owned  = static_cast<std::uint64_t>(plan->communicator.sum_before(all));
  plan->communicator.sum(&all, 1);
  plan->n_global = static_cast<std::uint64_t>(all);

  int        row   = static_cast<int>(rows.locally_owned_size());
  const auto first = static_cast<int>(local.row_start[row]);
  for (const auto &[rank, n_rows] : rows.ghost_targets())
    {
      const auto begin = static_cast<int>(local.row_start[row]);
      row += static_cast<int>(n_rows);
      if (const auto end = static_cast<int>(local.row_start[row]); end > begin)
        plan->sends.push_back({static_cast<int>(rank), begin - first, end - first});
    }
  plan->sent.resize(plan->n_owned - first);
  std::iota(plan->sent.begin(), plan->sent.end(), first);
  for (const auto &[rank, message] : received)
    {
      const int begin = plan->n_ghosts();
      plan->ghosts.insert(plan->ghosts.end(), message.second.begin(), message.second.end());
      plan->receives.push_back({static_cast<int>(rank), begin, plan->n_ghosts()});
    }
  return plan;
}
} // namespace

dealii::IndexSet owned_range(std::uint64_t n_owned, MPI_Comm comm)
{
  std::uint64_t before = 0, all = n_owned;
  if (const Communicator ranks(comm); ranks.size() > 1)
    {
      check_mpi(MPI_Exscan(&n_owned, &before, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Exscan");
      if (ranks.rank() == 0)
        before = 0;
      check_mpi(MPI_Allreduce(&n_owned, &all, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
    }
  if (all >= std::numeric_limits<Index>::max())
    throw IndexOverflow("global numbers: " + std::to_string(all) + " do not fit those of this deal.II (" +
                        std::to_string(8 * sizeof(Index)) + " bits); one built with 64-bit indices takes more");
  dealii::IndexSet range(static_cast<Index>(all));
  range.add_range(static_cast<Index>(before), static_cast<Index>(before + n_owned));
  return range;
}

std::shared_ptr<const ExchangePlan> exchange_plan(const Partitioner &numbers)
{
  if (numbers.n_mpi_processes() == 1)
    return nullptr;
  auto plan          = std::make_shared<ExchangePlan>();
  plan->communicator = Communicator(numbers.get_mpi_communicator());
  plan->n_owned      = static_cast<int>(numbers.locally_owned_size());
  plan->first_owned  = numbers.local_range().first;
  plan->n_global     = numbers.size();
  plan->ghosts.assign(numbers.ghost_indices().begin(), numbers.ghost_indices().end());
  for (const auto &[first, end] : numbers.import_indices())
    for (unsigned int i = first; i < end; ++i)
      plan->sent.push_back(static_cast<int>(i));
  const auto messages = [](const auto &targets) {
    std::vector<ExchangePlan::Message> list;
    int                                begin = 0;
    for (const auto &[rank, n] : targets)
      {
        list.push_back({static_cast<int>(rank), begin, begin + static_cast<int>(n)});
        begin += static_cast<int>(n);
      }
    return list;
  };
  plan->sends    = messages(numbers.import_targets());
  plan->receives = messages(numbers.ghost_targets());
  return plan;
}

std::shared_ptr<const Partitioner> make_partitioner(const dealii::IndexSet &owned, std::vector<Index> ghosts,
                                                    MPI_Comm comm)
{
  if (owned.size() == 0)
    return std::make_shared<Partitioner>(owned, comm);
  std::sort(ghosts.begin(), ghosts.end());
  dealii::IndexSet set(owned.size());
  set.add_indices(ghosts.begin(), std::unique(ghosts.begin(), ghosts.end()));
  return std::make_shared<Partitioner>(owned, set, comm); // which leaves out the owned ones
}

std::shared_ptr<const Partitioner> make_partitioner(const ExchangePlan &plan)
{
  const auto       first = static_cast<Index>(plan.first_owned);
  dealii::IndexSet owned(static_cast<Index>(plan.n_global));
  owned.add_range(first, first + plan.n_owned);
  return make_partitioner(owned, {plan.ghosts.begin(), plan.ghosts.end()}, plan.communicator.handle());
}

CSRMatrix<double> sum_rows(CSRMatrix<double> local, const Partitioner &rows, const Partitioner &columns)
{
  if (rows.n_mpi_processes() == 1)
    return local;
  const int  n_rows      = static_cast<int>(rows.locally_owned_size());
  const int  n_owned     = static_cast<int>(columns.locally_owned_size());
  const auto from_others = rows_from_others(local, rows, columns);
  const auto new_columns = columns_that_occur(local, n_rows, columns, from_others);
  const auto new_number  = local_numbers(*new_columns, columns);
  auto       merged      = received_rows(from_others, rows, *new_columns); // rows that others have a part in
  for (auto &[row, list] : merged)
    {
      const Row received = std::exchange(list, {});
      for (auto k = local.row_start[row]; k < local.row_start[row + 1]; ++k)
        list.emplace_back(new_number[local.column[k]], local.value[k]);
      list.insert(list.end(), received.begin(), received.end());
      compress(list);
    }

  CSRMatrix<double> sum;
  sum.n_rows = n_rows;
  sum.n_cols = n_owned + static_cast<int>(new_columns->n_ghost_indices());
  sum.ghosts = exchange_plan(*new_columns);
  sum.row_start.resize(n_rows + 1);
  for (int row = 0; row < n_rows; ++row)
    sum.row_start[row + 1] = local.row_start[row + 1] - local.row_start[row];
  for (const auto &[row, entries] : merged)
    sum.row_start[row + 1] = entries.size();
  finish_row_starts(sum);
  const auto for_each_place = [&](const auto &copy) { // of rows that others have no part in; those follow
#pragma omp parallel for schedule(static)
    for (int row = 0; row < n_rows; ++row)
      for (auto k = local.row_start[row], to = sum.row_start[row];
           k < local.row_start[row + 1] && to < sum.row_start[row + 1]; ++k, ++to)
        copy(k, to);
  };
  // One array after the other, as large ones are not to be there twice.
  for_each_place([&](auto k, auto to) { sum.column[to] = new_number[local.column[k]]; });
  local.column = Array<int>(); // which {} would not free
  for_each_place([&](auto k, auto to) { sum.value[to] = local.value[k]; });
  for (const auto &[row, entries] : merged)
    for (std::size_t k = 0; k < entries.size(); ++k)
      std::tie(sum.column[sum.row_start[row] + k], sum.value[sum.row_start[row] + k]) = entries[k];
  return sum;
}

CSRMatrix<double> summation(CSRMatrix<double> local, const CSRMatrix<double> &sum, const Partitioner &rows,
                            const Partitioner &columns)
{
  local.value.resize(local.n_nonzeros());
  std::iota(local.value.begin(), local.value.end(),
            Communicator(rows.get_mpi_communicator()).sum_before(local.n_nonzeros()));
  const auto messages = rows_from_others(local, rows, columns);
  const auto plan     = plan_of_entries(local, rows, messages);

  const auto sum_columns = make_partitioner(*sum.ghosts);
  const auto number      = local_numbers(*sum_columns, columns);
  const auto received    = received_rows(messages, rows, *sum_columns); // with entries' numbers as values
  const auto place       = [&](int row, int column) {
    const auto begin = sum.column.begin();
    return std::lower_bound(begin + sum.row_start[row], begin + sum.row_start[row + 1], column) - begin;
  };
  const auto ghost = [&](double entry) {
    const auto begin = plan->ghosts.begin();
    return plan->n_owned + static_cast<int>(std::lower_bound(begin, plan->ghosts.end(), entry) - begin);
  };
  std::vector<std::pair<EntryNumber, int>> contributions; // to the entries of rows that others have a part in
  for (const auto &[row, entries] : received)
    {
      for (auto k = local.row_start[row]; k < local.row_start[row + 1]; ++k)
        contributions.emplace_back(place(row, number[local.column[k]]), static_cast<int>(k));
      for (const auto &[column, entry] : entries)
        contributions.emplace_back(place(row, column), ghost(entry));
    }

  CSRMatrix<double> G;
  G.ghosts = plan;
  G.n_rows = to_index(sum.n_nonzeros(), "entries of a matrix whose values change");
  G.n_cols = to_index(std::size_t(plan->n_owned) + plan->n_ghosts(), "entries of a matrix whose values change");
  G.row_start.assign(G.n_rows + 1, 1);
  G.row_start[0] = 0;
  for (const auto &[row, entries] : received)
    std::fill_n(G.row_start.begin() + sum.row_start[row] + 1, sum.row_start[row + 1] - sum.row_start[row], 0);
  for (const auto &[entry, source] : contributions)
    ++G.row_start[entry + 1];
  finish_row_starts(G);
  std::fill(G.value.begin(), G.value.end(), 1.);
#pragma omp parallel for schedule(static)
  for (int row = 0; row < sum.n_rows; ++row)
    if (received.count(row) == 0)
      for (auto k = sum.row_start[row]; k < sum.row_start[row + 1]; ++k)
        G.column[G.row_start[k]] = static_cast<int>(local.row_start[row] + k - sum.row_start[row]);
  Array<EntryNumber> next(G.row_start.begin(), G.row_start.end());
  for (const auto &[entry, source] : contributions)
    G.column[next[entry]++] = source;
  return G;
}

CSRMatrix<double> transposed_over_ranks(const CSRMatrix<double> &A, const Partitioner &columns)
{
  const auto     local = A.ghosts ? make_partitioner(*A.ghosts) : nullptr;
  const MPI_Comm comm  = columns.get_mpi_communicator();
  return sum_rows(transpose(A), local ? *local : columns, *make_partitioner(owned_range(A.n_rows, comm), {}, comm));
}

CSRMatrix<double> owned_rows(const CSRMatrix<double> &local, const Partitioner &rows, const Partitioner &columns)
{
  CSRMatrix<double> owned;
  owned.n_rows = static_cast<int>(rows.locally_owned_size());
  owned.n_cols = local.n_cols;
  owned.ghosts = exchange_plan(columns);
  owned.row_start.assign(local.row_start.begin(), local.row_start.begin() + owned.n_rows + 1);
  const auto n = owned.row_start[owned.n_rows];
  owned.column.assign(local.column.begin(), local.column.begin() + n);
  owned.value.assign(local.value.begin(), local.value.begin() + n);
  return owned;
}

CSRMatrix<double> product(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  if (!A.ghosts)
    return local_product(A, B);
  // Each rank multiplies its rows of B: it needs A's columns for them, and gives away parts of the product's rows.
  const auto columns_of_A = transposed_over_ranks(A, *make_partitioner(*A.ghosts));
  return sum_rows(local_product(transpose(columns_of_A), B), *make_partitioner(*columns_of_A.ghosts),
                  *make_partitioner(*B.ghosts));
}
} // namespace adamant
