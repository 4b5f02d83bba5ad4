#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "discretization/forms/level_columns.h"

#include <omp.h>

namespace adamant
{
/// Calls action(first, end) in each thread with the range of rows that it owns.
template <typename Action>
void for_row_ranges(int n_rows, const Action &action)
{
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads();
    action(static_cast<int>(n_rows * thread / n_threads), static_cast<int>(n_rows * (thread + 1) / n_threads));
  }
}

/// Calls action(i, row, weight) for the rows of the free unknowns that the cell's DoFs i act on, through H; with
/// repetitions.
template <int dim, typename Action>
void for_each_row_of_cell(const LevelSpace<dim> &space, int cell, const Action &action)
{
  for (int i = 0; i < space.dofs_per_cell(); ++i)
    {
      const int dof = space.cell_dofs(cell)[i];
      for (auto k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
        action(i, space.H.column[k], space.H.value[k]);
    }
}

/// The cells that have entries in the matrix of a form, and the rows that they reach.
template <int dim>
class CellRows
{
public:
  /// `rows` has to outlive the object.
  CellRows(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns);

  int               size() const { return static_cast<int>(cells.size()); }
  int               operator[](int k) const { return cells[k]; } ///< number of the k-th cell; they ascend
  const Array<int> &numbers() const { return cells; }
  bool reach(int k, int first_row, int end_row) const { return lowest[k] < end_row && highest[k] >= first_row; }

private:
  Array<int> cells, lowest, highest; // highest and lowest row of each
};

/// The pattern of the matrix, with room for its values.
template <int dim>
CSRMatrix<double> make_pattern(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns,
                               const CellRows<dim> &cells);
} // namespace adamant
