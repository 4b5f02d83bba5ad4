#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "base/row_ranges.h"
#include "fem/forms/level_columns.h"
#include "fem/spaces/level_space.h"

#include <cstdint>

namespace adamant
{
/// Calls action(i, row, weight) for each free unknown `row` on which the cell's DoF i acts, through H; rows may repeat.
template <int dim, typename Action>
void for_each_row_of_cell(const LevelSpace<dim> &space, int cell, const Action &action)
{
  const int *dofs     = space.cell_dofs(cell);
  const bool all_free = !space.has_constraints(cell);
  for (int i = 0; i < space.dofs_per_cell(); ++i)
    if (all_free) // without a look into H, which has a one there
      action(i, dofs[i], 1.);
    else
      for (auto k = space.H.row_start[dofs[i]]; k < space.H.row_start[dofs[i] + 1]; ++k)
        action(i, space.H.column[k], space.H.value[k]);
}

/// Lists the cells that have entries in the matrix of a form.
template <int dim>
class CellRows
{
public:
  /// `rows` has to outlive the object.
  CellRows(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns);

  int               size() const { return all ? rows.n_cells() : static_cast<int>(cells.size()); }
  int               operator[](int k) const { return all ? k : cells[k]; } ///< number of the k-th cell; numbers ascend
  bool              are_all() const { return all; }   ///< whether all cells of the space are listed
  const Array<int> &numbers() const { return cells; } ///< empty if are_all()
  bool              reach(int k, int first_row, int end_row) const
  {
    bool any = false;
    for_each_row_of_cell(rows, (*this)[k],
                         [&](int, int row, double) { any = any || (row >= first_row && row < end_row); });
    return any;
  }

private:
  const LevelSpace<dim> &rows;
  bool                   all;
  Array<int>             cells;
};

/// Lists the cells in the sum of each row i, ascending: DoF dof[k] of cell[k] acts on it, start[i] <= k < start[i + 1].
struct RowCells
{
  template <int dim>
  RowCells(const LevelSpace<dim> &rows, const CellRows<dim> &cells);

  Array<int>            start, cell;
  Array<unsigned short> dof;

  int size(int row) const { return start[row + 1] - start[row]; }
};

/// The pattern of a matrix, with room for its values.
struct Pattern
{
  CSRMatrix<double> matrix;
  /// Of each row, whether it is the row two nodes before with all columns moved by one number, cell by cell. The row's
  /// cells then have no constraints.
  Array<char> repeats;
};
template <int dim>
Pattern make_pattern(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns, const RowCells &cells);
} // namespace adamant
