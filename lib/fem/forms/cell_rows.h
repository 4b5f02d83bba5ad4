#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "fem/forms/cell_loop.h"
#include "fem/forms/form.h"
#include "fem/spaces/level_space.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace adamant
{
/// The columns of a form on one level, and how the local columns of a cell act on them.
template <int dim>
struct LevelColumns
{
  ColumnKind             kind;
  const LevelSpace<dim> *functions; ///< of the columns' field; null for quadrature points
  const LevelSpace<dim> &rows;
  int                    n_q;

  bool is_points() const { return kind == ColumnKind::quadrature_points; }
  bool is_by_component() const { return kind == ColumnKind::nodal_values_by_component; }
  bool is_prescribed() const { return kind == ColumnKind::prescribed_values; }
  bool has_identity() const { return kind == ColumnKind::unknowns && functions == &rows; }
  bool has_identity(int row) const { return has_identity() && row < rows.n_owned() && !rows.is_free(row); }

  int n() const
  {
    return is_points() ? to_index(std::size_t(rows.n_cells()) * n_q, "quadrature points") :
                         (is_prescribed() ? functions->B.n_cols : functions->n_dofs());
  }
  int per_cell() const { return is_points() ? n_q : functions->dofs_per_cell(); }

  /// Returns the number of columns in a group: columns that only occur together and follow each other. A group has the
  /// components of a node or the points of a cell, so products with dense blocks need fewer indices. By component, a
  /// row has one column of each group, at the row's own place in its node.
  int group() const
  {
    const bool whole_nodes =
      kind == ColumnKind::unknowns || kind == ColumnKind::nodal_values || (is_by_component() && functions == &rows);
    return is_points() ? n_q : (whole_nodes ? functions->node_size() : 1);
  }

  /// Returns the cells whose local matrices have entries in these columns; numbers ascend.
  Array<int> acting_cells() const
  {
    auto       cells = numbers_below(rows.n_cells());
    const auto acts  = [this](int cell) {
      const int *dofs = functions->cell_dofs(cell);
      return functions->has_constraints(cell) && std::any_of(dofs, dofs + per_cell(), [this](int dof) {
               return functions->B.row_start[dof] < functions->B.row_start[dof + 1];
             });
    };
    if (is_prescribed())
      cells.erase(std::remove_if(cells.begin(), cells.end(), [&](int cell) { return !acts(cell); }), cells.end());
    return cells;
  }

  /// Returns whether a local column of the cell acts elsewhere than at its own DoF.
  bool constrains(int cell) const
  {
    return is_prescribed() || (kind == ColumnKind::unknowns && functions->has_constraints(cell));
  }

  /// Calls action(column, weight) for each column that local column j of the cell acts on.
  template <typename Action>
  void for_each(int cell, int j, const Action &action) const
  {
    if (is_points())
      return action(cell * n_q + j, 1.);
    const int dof = functions->cell_dofs(cell)[j];
    if (!constrains(cell))
      return action(dof, 1.);
    const auto &map = kind == ColumnKind::unknowns ? functions->H : functions->B;
    for (auto k = map.row_start[dof]; k < map.row_start[dof + 1]; ++k)
      action(map.column[k], map.value[k]);
  }

  /// Returns the global numbers of the columns.
  std::shared_ptr<const Partitioner> numbers() const;
};

/// Returns the component of each DoF of a cell.
template <int dim>
std::vector<unsigned int> components_of_cell(const LevelSpace<dim> &space)
{
  std::vector<unsigned int> component;
  for (int i = 0; i < space.dofs_per_cell(); ++i)
    component.push_back(space.element().system_to_component_index(i).first);
  return component;
}

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

/// Lists the cells in the sum of each row i, ascending: DoF dof[k] of cell[k] acts on it, start[i] <= k < start[i + 1].
struct RowCells
{
  template <int dim>
  RowCells(const LevelSpace<dim> &rows, const Array<int> &cells);

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
