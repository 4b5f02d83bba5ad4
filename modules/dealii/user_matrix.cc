#include "dealii/user_matrix.h"

#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "dealii/ranks.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

std::size_t n_ranges(const MatrixRows &rows)
{
  return rows.by_threads ? omp_get_max_threads() : 1;
}

constexpr int lowest = std::numeric_limits<int>::min();

int column_of(int key)
{
  return key < 0 ? key - lowest : key;
}

// Where it is not inlined, GCC takes it for a function without effect and leaves its calls out.
[[gnu::always_inline]] inline void prefetch(const UserValues &values, int row)
{
  const auto &A = values.A;
  __builtin_prefetch(values.diagonal.data() + row);
  for (auto k = A.row_start[row], end = A.row_start[row + 1] + 8; k < end; k += 8) // a line of values
    {
      __builtin_prefetch(A.value.data() + k);
      __builtin_prefetch(A.column.data() + k);
    }
}

constexpr int ahead = 8; // rows whose places, which may be anywhere, are on their way to the cache
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
    for_ranges(n, n_ranges(rows), [&](int first, int end) {
      for (int k = first; k < end; ++k)
        {
          const int  i       = dofs.number[k];
          const bool couples = rows.couples(k);
          if (kind[i] != free_dof && couples)
            refuse(
              "DoF " + std::to_string(dofs.first + dofs.row(k)) +
              " is constrained, but its row couples to other DoFs; has the matrix been assembled by "
              "AffineConstraints::distribute_local_to_global(), or condensed? If the constraints have changed, call "
              "initialize(matrix, dof_handler, constraints)");
          if (!couples && kind[i] == free_dof)
            kind[i] = prescribed_dof;
        }
    });
  });
  number_columns(rows, dofs, values.A);
  values.coupling.n_rows = values.A.n_rows;
  values.coupling.n_cols = values.A.n_cols;
  values.coupling.ghosts = values.A.ghosts;
  copy(rows, dofs, values);
}

void UserMatrix::number_columns(const MatrixRows &rows, const UserDofs &dofs, CSRMatrix<double> &A)
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
        ghost_key.push_back(static_cast<int>(columns->global_to_local(number)));
      A.ghosts = exchange_plan(*columns);
      A.n_cols = n + A.ghosts->n_ghosts();
      kinds    = with_ghosts(*A.ghosts, std::move(kinds));
    }
  const auto as_key = [&](int column) { return kinds[column] == free_dof ? column + lowest : column; };
  key.resize(n);
  std::transform(dofs.number.begin(), dofs.number.end(), key.begin(), as_key);
  std::transform(ghost_key.begin(), ghost_key.end(), ghost_key.begin(), as_key);
}

// Another rank's column that the pattern does not have gets a key that no column has.
inline int UserMatrix::key_of(const UserDofs &dofs, Index column) const
{
  if (dofs.is_owned(column))
    return key[dofs.place(column)];
  const auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), column);
  return ghost != ghosts.end() && *ghost == column ? ghost_key[ghost - ghosts.begin()] :
                                                     std::numeric_limits<int>::max();
}

// Finds the diagonal entry, and whether the other entries are zero. Refuses what a free DoF cannot have.
inline bool UserMatrix::is_decoupled(int k, const MatrixRow &row, const UserDofs &dofs, double &diagonal) const
{
  const Index  own    = dofs.row(k);
  const Index *column = row.columns.data();
  double       sum = 0., of_diagonal = 0.; // sum of sizes; no number where one of them is none
#pragma omp simd reduction(+ : sum, of_diagonal)
  for (std::size_t e = 0; e < row.columns.size(); ++e)
    {
      sum += column[e] == own ? 0. : std::abs(row.values[e]);
      of_diagonal += column[e] == own ? row.values[e] : 0.;
    }
  diagonal = of_diagonal;
  if (key[k] >= 0 || sum == 0.)
    return sum == 0.;
  for (std::size_t e = 0; e < row.columns.size() && !std::isfinite(sum); ++e)
    if (row.columns[e] != own && !std::isfinite(row.values[e]))
      refuse("the entry of DoF " + std::to_string(dofs.first + own) + " in the column of DoF " +
             std::to_string(dofs.first + row.columns[e]) + " is " + std::to_string(row.values[e]));
  if (diagonal == 0. || !std::isfinite(diagonal))
    refuse("the diagonal entry of DoF " + std::to_string(dofs.first + own) + " is " + std::to_string(diagonal) +
           "; smoothers divide by it. Of a saddle point problem, take the block of one unknown");
  return false;
}

// What place_row() computes on the way: a row's keys, and their ranks.
struct UserMatrix::Copy
{
  std::vector<int> key, rank;
};

// Writes a row to its place. Free columns come first, as their keys are negative.
void UserMatrix::place_row(int k, const MatrixRow &row, const UserDofs &dofs, UserValues &values, Copy &copy)
{
  const int  i  = dofs.number[k];
  const auto at = values.A.row_start[i];
  if (key[k] >= 0)
    {
      values.A.column[at] = i;
      values.A.value[at]  = 1.;
      return;
    }
  const std::size_t n      = row.columns.size();
  const int         n_free = static_cast<int>(values.A.row_start[i + 1] - at);
  copy.key.resize(n);
  for (std::size_t e = 0; e < n; ++e)
    copy.key[e] = key_of(dofs, row.columns[e]);
  rank_keys(copy.key, copy.rank);
  for (std::size_t e = 0; e < n; ++e)
    {
      const bool is_free  = copy.key[e] < 0;
      auto      &matrix   = is_free ? values.A : values.coupling;
      const int  rank     = is_free ? copy.rank[e] : copy.rank[e] - n_free;
      const auto to       = matrix.row_start[i] + rank;
      place[start[k] + e] = rank;
      matrix.column[to]   = column_of(copy.key[e]);
      matrix.value[to]    = row.values[e];
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
  const auto count = [&](int first, int end) {
    MatrixRow row;
    for (int k = first; k < end; ++k)
      {
        const int i = dofs.number[k];
        rows.read(k, row);
        is_decoupled(k, row, dofs, values.diagonal[i]);
        const bool  is_free = key[k] < 0;
        const auto  length  = static_cast<EntryNumber>(is_free ? row.columns.size() : 0);
        EntryNumber n_free  = 0;
        for (EntryNumber e = 0; e < length; ++e)
          n_free += key_of(dofs, row.columns[e]) < 0;
        A.row_start[i + 1]        = is_free ? n_free : 1;
        coupling.row_start[i + 1] = length - n_free;
        start[k + 1]              = length;
      }
  };
  agreed(dofs.ranks, [&] { for_ranges(n, n_ranges(rows), count); });
  finish_row_starts(A);
  finish_row_starts(coupling);
  start[0] = 0;
  std::partial_sum(start.begin(), start.end(), start.begin());
  place.resize(start[n]);
  agreed(dofs.ranks, [&] {
    for_ranges(n, n_ranges(rows), [&](int first, int end) {
      MatrixRow row;
      Copy      copy;
      for (int k = first; k < end; ++k)
        {
          if (k + ahead < end)
            prefetch(values, dofs.number[k + ahead]);
          rows.read(k, row);
          place_row(k, row, dofs, values, copy);
        }
    });
  });
}

// Copies a row, or compares it where the values are constant. Returns whether it has the pattern, and is decoupled
// where it was.
template <class Values>
bool UserMatrix::take_row(int k, const MatrixRow &row, const UserDofs &dofs, Values &to, bool &changed) const
{
  constexpr bool write    = !std::is_const_v<Values>;
  const int      i        = dofs.number[k];
  double         diagonal = 0.;
  if (is_decoupled(k, row, dofs, diagonal) != (key[k] >= 0))
    return false;
  changed = changed || to.diagonal[i] != diagonal;
  if constexpr (write)
    to.diagonal[i] = diagonal;
  if (key[k] >= 0)
    return true;
  const std::size_t n = row.columns.size();
  if (static_cast<EntryNumber>(n) != start[k + 1] - start[k])
    return false;
  bool       same = true, differs = false;
  const int *rank = place.data() + start[k];
  for (std::size_t e = 0; e < n; ++e)
    {
      const int  of_column = key_of(dofs, row.columns[e]);
      auto      &matrix    = of_column < 0 ? to.A : to.coupling;
      const auto entry     = matrix.row_start[i] + rank[e];
      if (entry >= matrix.row_start[i + 1])
        return false;
      same &= matrix.column[entry] == column_of(of_column);
      differs |= matrix.value[entry] != row.values[e];
      if constexpr (write)
        matrix.value[entry] = row.values[e];
    }
  changed = changed || differs;
  return same;
}

template <class Values>
bool UserMatrix::take(const MatrixRows &rows, const UserDofs &dofs, Values &to, bool &changed) const
{
  std::atomic<bool> fits{rows.owned == dofs.owned}, changes{false};
  agreed(dofs.ranks, [&] {
    if (!fits)
      return;
    for_ranges(kind.size(), n_ranges(rows), [&](int first, int end) {
      MatrixRow row;
      bool      differs = false;
      for (int k = first; k < end && fits; ++k)
        {
          if (k + ahead < end)
            prefetch(to, dofs.number[k + ahead]);
          rows.read(k, row);
          if (!take_row(k, row, dofs, to, differs))
            fits = false;
        }
      if (differs)
        changes = true;
    });
  });
  double found[] = {fits ? 0. : 1., changes ? 1. : 0.};
  dofs.ranks.max(found, 2);
  changed = found[1] > 0.;
  return found[0] == 0.;
}

bool UserMatrix::copy_values(const MatrixRows &rows, const UserDofs &dofs, UserValues &to) const
{
  return take(rows, dofs, to, to.changed);
}

bool UserMatrix::compare(const MatrixRows &rows, const UserDofs &dofs, const UserValues &values, bool &changed) const
{
  return take(rows, dofs, values, changed);
}
} // namespace adamant
