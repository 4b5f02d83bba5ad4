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
  find_pattern(rows, dofs, values);
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

void UserMatrix::find_pattern(const MatrixRows &rows, const UserDofs &dofs, UserValues &values)
{
  auto     &A = values.A, &coupling = values.coupling;
  const int n = A.n_rows;
  A.row_start.resize(n + 1);
  coupling.row_start.resize(n + 1);
  start.resize(n + 1);
  values.diagonal.resize(n);
  struct Part // of a range of rows
  {
    int        first;
    Array<int> of_A, of_coupling, place;
  };
  std::vector<Part> parts(omp_get_max_threads());
  std::atomic<int>  n_parts{0};
  const auto        range = [&](int first, int end) {
    Part                      &part = parts[n_parts++];
    std::vector<std::uint64_t> sorted; // columns, and behind them in 32 bits their entries in the user's row
    MatrixRow                  row;
    part.first = first;
    for (int i = first; i < end; ++i)
      {
        const auto n_A = part.of_A.size(), n_coupling = part.of_coupling.size(), n_place = part.place.size();
        if (kind[i] != free_dof)
          part.of_A.push_back(i);
        else
          {
            rows.read(row_of[i], row);
            sorted.clear();
            for (std::size_t k = 0; k < row.columns.size(); ++k)
              sorted.push_back(std::uint64_t(local_column(dofs, row.columns[k])) << 32 | k);
            std::sort(sorted.begin(), sorted.end());
            part.place.resize(n_place + sorted.size());
            for (const std::uint64_t entry : sorted)
              {
                const int column = static_cast<int>(entry >> 32);
                int      &at     = part.place[n_place + (entry & 0xffffffff)];
                if (kind_of_column[column] == free_dof)
                  {
                    at = static_cast<int>(part.of_A.size() - n_A);
                    part.of_A.push_back(column);
                  }
                else
                  {
                    at = -1 - static_cast<int>(part.of_coupling.size() - n_coupling);
                    part.of_coupling.push_back(column);
                  }
              }
          }
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
  place.resize(start[n]);
  parallel_for(n_parts, [&](std::size_t p) {
    const Part &part = parts[p];
    std::copy(part.of_A.begin(), part.of_A.end(), A.column.begin() + A.row_start[part.first]);
    std::copy(part.of_coupling.begin(), part.of_coupling.end(),
              coupling.column.begin() + coupling.row_start[part.first]);
    std::copy(part.place.begin(), part.place.end(), place.begin() + start[part.first]);
  });
}

// Whether the row has the pattern, and is decoupled where it was. The caller looks at the diagonal entry.
bool UserMatrix::copy_row(int i, const MatrixRow &row, const UserDofs &dofs, UserValues &to, bool &changed) const
{
  const std::size_t n       = row.columns.size();
  const Index       own     = dofs.owned.nth_index_in_set(row_of[i]);
  const bool        is_free = kind[i] == free_dof;
  if (is_free && static_cast<EntryNumber>(n) != start[i + 1] - start[i])
    return false;
  bool       couples = false;
  const auto former  = std::exchange(to.diagonal[i], 0.);
  if (!is_free)
    to.A.value[to.A.row_start[i]] = 1.;
  for (std::size_t k = 0; k < n; ++k)
    {
      const double value = row.values[k];
      if (row.columns[k] == own)
        to.diagonal[i] = value;
      else
        couples = couples || value != 0.;
      if (!is_free)
        continue;
      const int  in_row = place[start[i] + k];
      auto      &matrix = in_row >= 0 ? to.A : to.coupling;
      const auto entry  = matrix.row_start[i] + (in_row >= 0 ? in_row : -1 - in_row);
      if (matrix.column[entry] != local_column(dofs, row.columns[k]))
        return false;
      if (row.columns[k] != own && !std::isfinite(value))
        refuse("the entry of DoF " + std::to_string(dofs.first + own) + " in the column of DoF " +
               std::to_string(dofs.first + row.columns[k]) + " is " + std::to_string(value));
      changed             = changed || matrix.value[entry] != value;
      matrix.value[entry] = value;
    }
  changed = changed || to.diagonal[i] != former;
  return couples == is_free;
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
          else if (const double d = to.diagonal[i]; kind[i] == free_dof && (d == 0. || !std::isfinite(d)))
            refuse("the diagonal entry of DoF " + std::to_string(dof_of(dofs, row_of[i])) + " is " + std::to_string(d) +
                   "; smoothers divide by it. Of a saddle point problem, take the block of one unknown");
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
