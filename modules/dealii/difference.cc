#include "dealii/difference.h"

#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "dealii/ranks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

void check_rows(const MatrixRows &rows, const UserDofs &dofs)
{
  agreed(dofs.ranks, [&] {
    if (rows.owned != dofs.owned)
      refuse("the matrix has " + std::to_string(rows.owned.n_elements()) +
             " rows of this rank, which are not those of its " + std::to_string(dofs.owned.n_elements()) + " DoFs");
  });
}

// The largest difference so far, and where.
void compare(double a, double b, Index row, Index column, MatrixDifference &result)
{
  double difference = std::abs(a - b);
  if (std::isnan(difference))
    difference = std::numeric_limits<double>::infinity();
  if (std::isfinite(b))
    result.scale = std::max(result.scale, std::abs(b));
  if (difference > result.largest)
    {
      result.largest = difference;
      result.row     = row;
      result.column  = column;
    }
}

// All ranks get the largest difference, at the lowest rank's place.
MatrixDifference on_all_ranks(const Communicator &ranks, MatrixDifference mine)
{
  double values[] = {mine.largest, mine.scale};
  ranks.max(values, 2);
  double owner = mine.largest == values[0] ? -ranks.rank() : -ranks.size();
  ranks.max(&owner, 1);
  double place[] = {-1., -1.};
  if (-ranks.rank() == owner)
    {
      place[0] = static_cast<double>(mine.row);
      place[1] = static_cast<double>(mine.column);
    }
  ranks.max(place, 2);
  return {values[0], values[1], static_cast<Index>(place[0]), static_cast<Index>(place[1])};
}

// Finds the column of A that has a column of the user's matrix.
class UserColumns
{
public:
  UserColumns(const MatrixRows &rows, const UserDofs &dofs, const CSRMatrix<double> &A)
    : dofs(dofs)
  {
    if (dofs.ranks.size() == 1)
      return;
    MatrixRow row;
    for (std::size_t k = 0; k < dofs.number.size(); ++k)
      {
        rows.read(k, row);
        std::copy_if(row.columns.begin(), row.columns.end(), std::back_inserter(ghosts),
                     [&](Index column) { return !dofs.is_owned(column); });
      }
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    const auto &of_A = A.ghosts->ghosts;
    for (const std::uint64_t number : dofs.numbers_in_space(ghosts))
      {
        const auto found = std::lower_bound(of_A.begin(), of_A.end(), number);
        local.push_back(found != of_A.end() && *found == number ? A.n_rows + static_cast<int>(found - of_A.begin()) :
                                                                  -1);
      }
  }
  int operator()(Index column) const // -1: A has no such column
  {
    if (dofs.is_owned(column))
      return dofs.number[dofs.place(column)];
    return local[std::lower_bound(ghosts.begin(), ghosts.end(), column) - ghosts.begin()];
  }

private:
  const UserDofs    &dofs;
  std::vector<Index> ghosts;
  Array<int>         local;
};
} // namespace

template <int dim>
UserDofs dofs_of_field(const Field<dim> &field, const dealii::DoFHandler<dim> &dofs)
{
  const auto &space = field.finest();
  agreed(space.communicator(), [&] {
    if (&dofs.get_triangulation() != &space.triangulation() || dofs.has_hp_capabilities() ||
        dofs.get_fe().get_name() != space.element().get_name())
      refuse("expected a DoFHandler on the field's mesh with its element, " + space.element().get_name());
  });
  return user_dofs(space, dofs);
}

Array<char> identity_rows(const CSRMatrix<double> &A)
{
  Array<char> identity(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    identity[i] = A.row_start[i + 1] == A.row_start[i] + 1 && A.column[A.row_start[i]] == i;
  return identity;
}

Array<double> diagonal_of(const MatrixRows &rows, const UserDofs &dofs)
{
  check_rows(rows, dofs);
  Array<double> diagonal(dofs.number.size(), 0.);
  MatrixRow     row;
  for (std::size_t k = 0; k < dofs.number.size(); ++k)
    {
      rows.read(k, row);
      const Index own = dofs.owned.nth_index_in_set(k);
      for (std::size_t e = 0; e < row.columns.size(); ++e)
        if (row.columns[e] == own)
          diagonal[dofs.number[k]] = row.values[e];
    }
  return diagonal;
}

MatrixDifference largest_difference(const MatrixRows &rows, const UserDofs &dofs, const CSRMatrix<double> &A,
                                    const Array<char> &constrained)
{
  check_rows(rows, dofs);
  const UserColumns columns(rows, dofs, A);
  Array<double>     is_constrained(constrained.begin(), constrained.end());
  Array<double>     user_number(A.n_rows); // of each column of A
  for (std::size_t k = 0; k < dofs.number.size(); ++k)
    user_number[dofs.number[k]] = static_cast<double>(dofs.owned.nth_index_in_set(k));
  if (A.ghosts)
    {
      is_constrained = with_ghosts(*A.ghosts, std::move(is_constrained));
      user_number    = with_ghosts(*A.ghosts, std::move(user_number));
    }
  MatrixDifference      result;
  MatrixRow             row;
  std::map<int, double> of_A; // what is left of the row
  for (std::size_t k = 0; k < dofs.number.size(); ++k)
    {
      const int   i   = dofs.number[k];
      const Index own = dofs.owned.nth_index_in_set(k);
      rows.read(k, row);
      of_A.clear();
      for (auto e = A.row_start[i]; constrained[i] == 0 && e < A.row_start[i + 1]; ++e)
        of_A[A.column[e]] += A.value[e];
      for (std::size_t e = 0; e < row.columns.size(); ++e)
        {
          const int j = columns(row.columns[e]);
          if (constrained[i] != 0 ? row.columns[e] == own : j >= 0 && is_constrained[j] != 0.)
            continue;
          const auto found = j >= 0 ? of_A.find(j) : of_A.end();
          compare(found == of_A.end() ? 0. : found->second, row.values[e], own, row.columns[e], result);
          if (found != of_A.end())
            of_A.erase(found);
        }
      for (const auto &[j, value] : of_A)
        compare(value, 0., own, static_cast<Index>(user_number[j]), result);
    }
  return on_all_ranks(dofs.ranks, result);
}

template UserDofs dofs_of_field(const Field<2> &, const dealii::DoFHandler<2> &);
template UserDofs dofs_of_field(const Field<3> &, const dealii::DoFHandler<3> &);
} // namespace adamant
