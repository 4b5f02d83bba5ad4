#include "dealii/user_matrix.h"

#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "base/parallel_for.h"
#include "dealii/ranks.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// Calls action(first, end) for ranges of n rows, on all threads where the matrix allows it.
template <class Action>
void for_ranges(const MatrixRows &rows, int n, const Action &action)
{
  const int  n_ranges = rows.by_threads ? omp_get_max_threads() : 1;
  const auto begin_of = [&](std::size_t r) { return static_cast<int>(std::size_t(n) * r / n_ranges); };
  if (n_ranges == 1)
    action(0, n);
  else
    parallel_for(n_ranges, [&](std::size_t r) { action(begin_of(r), begin_of(r + 1)); });
}

Index dof_of(const UserDofs &dofs, int row)
{
  return dofs.first + dofs.owned.nth_index_in_set(row);
}
} // namespace

UserMatrix::UserMatrix(const MatrixRows &rows, const UserDofs &dofs, Array<char> kinds, UserValues &values)
  : kind(std::move(kinds))
{
  const int n = static_cast<int>(kind.size());
  agreed(dofs.ranks, [&] {
    if (kind.size() != dofs.number.size())
      refuse("the DoFs have changed; call initialize(matrix, dof_handler, constraints)");
    if (rows.owned.size() != dofs.owned.size())
      refuse("it has " + std::to_string(rows.owned.size()) + " rows, but there are " +
             std::to_string(dofs.owned.size()) + " DoFs; was the mesh refined?");
    if (rows.owned != dofs.owned)
      refuse("this rank has " + std::to_string(rows.owned.n_elements()) + " rows, which are not those of its " +
             std::to_string(dofs.owned.n_elements()) + " DoFs");
    row_of.resize(n);
    for (int k = 0; k < n; ++k)
      row_of[dofs.number[k]] = k;
    for_ranges(rows, n, [&](int first, int end) {
      for (int i = first; i < end; ++i)
        {
          const bool couples = rows.couples(row_of[i]);
          if (kind[i] != free_dof && couples)
            refuse(
              "DoF " + std::to_string(dof_of(dofs, row_of[i])) +
              " is constrained, but its row couples to other DoFs; has the matrix been assembled by "
              "AffineConstraints::distribute_local_to_global(), or condensed? If the constraints have changed, call "
              "initialize(matrix, dof_handler, constraints)");
          if (!couples && kind[i] == free_dof)
            kind[i] = prescribed_dof;
        }
    });
  });
  number_ghosts(rows, dofs, values.A);
  values.coupling.n_rows = values.A.n_rows;
  values.coupling.n_cols = values.A.n_cols;
  values.coupling.ghosts = values.A.ghosts;
  copy(rows, dofs, values);
}

void UserMatrix::number_ghosts(const MatrixRows &rows, const UserDofs &dofs, CSRMatrix<double> &A)
{
  const int n = A.n_rows = static_cast<int>(kind.size());
  A.n_cols               = n;
  Array<double> kinds(kind.begin(), kind.end());
  if (dofs.ranks.size() > 1)
    {
      agreed(dofs.ranks, [&] {
        MatrixRow row;
        for (int k = 0; k < n; ++k)
          {
            rows.read(k, row);
            std::copy_if(row.columns.begin(), row.columns.end(), std::back_inserter(ghosts),
                         [&](Index column) { return !dofs.is_owned(column); });
          }
      });
      std::sort(ghosts.begin(), ghosts.end());
      ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
      const auto     numbers = dofs.numbers_in_space(ghosts);
      const MPI_Comm comm    = dofs.ranks.handle();
      const auto     columns = make_partitioner(owned_range(n, comm), numbers, comm);
      for (const Index number : numbers)
        ghost_column.push_back(static_cast<int>(columns->global_to_local(number)));
      A.ghosts = exchange_plan(*columns);
      A.n_cols = n + A.ghosts->n_ghosts();
      kinds    = with_ghosts(*A.ghosts, std::move(kinds));
    }
  kind_of_column.assign(kinds.begin(), kinds.end());
}

int UserMatrix::local_column(const UserDofs &dofs, Index column) const
{
  if (dofs.is_owned(column))
    return dofs.number[dofs.place(column)];
  const auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), column);
  return ghost != ghosts.end() && *ghost == column ? ghost_column[ghost - ghosts.begin()] : -1;
}

// What is found of a range of rows: columns and values of A, and of `coupling`; places of the user's entries.
struct UserMatrix::Part
{
  int                        first;
  Array<int>                 of_A, of_coupling, place;
  Array<double>              in_A, in_coupling;
  std::vector<std::uint64_t> sorted; // columns, and behind them in 32 bits their entries in the user's row

  void reserve(std::size_t n) // memory that is not written costs nothing
  {
    of_A.reserve(n);
    in_A.reserve(n);
    place.reserve(n);
  }
};

void UserMatrix::append_row(int i, const MatrixRow &row, const UserDofs &dofs, Part &part) const
{
  if (kind[i] != free_dof)
    {
      part.of_A.push_back(i);
      part.in_A.push_back(1.);
      return;
    }
  const auto n_A = part.of_A.size(), n_coupling = part.of_coupling.size(), n_place = part.place.size();
  auto      &sorted = part.sorted;
  sorted.resize(row.columns.size());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    sorted[k] = std::uint64_t(local_column(dofs, row.columns[k])) << 32 | k;
  std::sort(sorted.begin(), sorted.end());
  part.place.resize(n_place + sorted.size());
  for (const std::uint64_t entry : sorted)
    {
      const int  column = static_cast<int>(entry >> 32);
      const auto k      = entry & 0xffffffff;
      if (kind_of_column[column] == free_dof)
        {
          part.place[n_place + k] = static_cast<int>(part.of_A.size() - n_A);
          part.of_A.push_back(column);
          part.in_A.push_back(row.values[k]);
        }
      else
        {
          part.place[n_place + k] = -1 - static_cast<int>(part.of_coupling.size() - n_coupling);
          part.of_coupling.push_back(column);
          part.in_coupling.push_back(row.values[k]);
        }
    }
}

void UserMatrix::copy(const MatrixRows &rows, const UserDofs &dofs, UserValues &values)
{
  auto     &A = values.A, &coupling = values.coupling;
  const int n = A.n_rows;
  A.row_start.resize(n + 1);
  coupling.row_start.resize(n + 1);
  start.resize(n + 1);
  values.diagonal.resize(n);
  std::vector<Part> parts(omp_get_max_threads());
  std::atomic<int>  n_parts{0};
  const auto        range = [&](int first, int end) {
    Part     &part = parts[n_parts++];
    MatrixRow row;
    part.first = first;
    part.reserve(n > 0 ? rows.n_entries * (end - first) / n : 0);
    for (int i = first; i < end; ++i)
      {
        const auto n_A = part.of_A.size(), n_coupling = part.of_coupling.size(), n_place = part.place.size();
        rows.read(row_of[i], row);
        is_decoupled(i, row, dofs, values.diagonal[i]);
        append_row(i, row, dofs, part);
        A.row_start[i + 1]        = static_cast<EntryNumber>(part.of_A.size() - n_A);
        coupling.row_start[i + 1] = static_cast<EntryNumber>(part.of_coupling.size() - n_coupling);
        start[i + 1]              = static_cast<EntryNumber>(part.place.size() - n_place);
      }
  };
  agreed(dofs.ranks, [&] { for_ranges(rows, n, range); });
  finish_row_starts(A);
  finish_row_starts(coupling);
  start[0] = 0;
  std::partial_sum(start.begin(), start.end(), start.begin());
  if (n_parts == 1) // no copies
    {
      A.column        = std::move(parts[0].of_A);
      A.value         = std::move(parts[0].in_A);
      coupling.column = std::move(parts[0].of_coupling);
      coupling.value  = std::move(parts[0].in_coupling);
      place           = std::move(parts[0].place);
      return;
    }
  place.resize(start[n]);
  parallel_for(n_parts, [&](std::size_t p) {
    const Part &part = parts[p];
    const auto  put  = [](const auto &from, auto &to, EntryNumber at) {
      std::copy(from.begin(), from.end(), to.begin() + at);
    };
    put(part.of_A, A.column, A.row_start[part.first]);
    put(part.in_A, A.value, A.row_start[part.first]);
    put(part.of_coupling, coupling.column, coupling.row_start[part.first]);
    put(part.in_coupling, coupling.value, coupling.row_start[part.first]);
    put(part.place, place, start[part.first]);
  });
}

// Finds the diagonal entry, and whether the other entries are zero. Refuses what a free DoF cannot have.
bool UserMatrix::is_decoupled(int i, const MatrixRow &row, const UserDofs &dofs, double &diagonal) const
{
  const Index own = dofs.owned.nth_index_in_set(row_of[i]);
  double      sum = 0.; // of sizes; no number where one of them is none
  diagonal        = 0.;
  for (std::size_t k = 0; k < row.columns.size(); ++k)
    if (row.columns[k] == own)
      diagonal = row.values[k];
    else
      sum += std::abs(row.values[k]);
  if (kind[i] != free_dof || sum == 0.)
    return sum == 0.;
  for (std::size_t k = 0; k < row.columns.size() && !std::isfinite(sum); ++k)
    if (row.columns[k] != own && !std::isfinite(row.values[k]))
      refuse("the entry of DoF " + std::to_string(dofs.first + own) + " in the column of DoF " +
             std::to_string(dofs.first + row.columns[k]) + " is " + std::to_string(row.values[k]));
  if (diagonal == 0. || !std::isfinite(diagonal))
    refuse("the diagonal entry of DoF " + std::to_string(dofs.first + own) + " is " + std::to_string(diagonal) +
           "; smoothers divide by it. Of a saddle point problem, take the block of one unknown");
  return false;
}

// Whether the row has the pattern, and is decoupled where it was.
bool UserMatrix::copy_row(int i, const MatrixRow &row, const UserDofs &dofs, UserValues &to, bool &changed) const
{
  const double former = to.diagonal[i];
  if (is_decoupled(i, row, dofs, to.diagonal[i]) != (kind[i] != free_dof))
    return false;
  changed = changed || to.diagonal[i] != former;
  if (kind[i] != free_dof)
    return true;
  const std::size_t n = row.columns.size();
  if (static_cast<EntryNumber>(n) != start[i + 1] - start[i])
    return false;
  for (std::size_t k = 0; k < n; ++k)
    {
      const int  in_row = place[start[i] + k];
      auto      &matrix = in_row >= 0 ? to.A : to.coupling;
      const auto entry  = matrix.row_start[i] + (in_row >= 0 ? in_row : -1 - in_row);
      if (matrix.column[entry] != local_column(dofs, row.columns[k]))
        return false;
      changed             = changed || matrix.value[entry] != row.values[k];
      matrix.value[entry] = row.values[k];
    }
  return true;
}

bool UserMatrix::copy_values(const MatrixRows &rows, const UserDofs &dofs, UserValues &to) const
{
  std::atomic<bool> fits{rows.owned == dofs.owned}, changes{false};
  agreed(dofs.ranks, [&] {
    if (!fits)
      return;
    for_ranges(rows, static_cast<int>(kind.size()), [&](int first, int end) {
      MatrixRow row;
      bool      changed = false;
      for (int i = first; i < end && fits; ++i)
        {
          rows.read(row_of[i], row);
          if (!copy_row(i, row, dofs, to, changed))
            fits = false;
        }
      if (changed)
        changes = true;
    });
  });
  double found[] = {fits ? 0. : 1., changes ? 1. : 0.};
  dofs.ranks.max(found, 2);
  to.changed = found[1] > 0.;
  return found[0] == 0.;
}
} // namespace adamant
