#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "base/row_ranges.h"
#include "fem/forms/form.h"
#include "fem/spaces/level_space.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace adamant
{
/// The columns of a form on one level, and how the local columns of a cell act on them.
template <int dim>
class LevelColumns
{
public:
  /// `space` belongs to the columns' field; null for quadrature points. It and `rows` have to outlive the object.
  LevelColumns(ColumnKind kind, const LevelSpace<dim> *space, const LevelSpace<dim> &rows, int n_q)
    : kind(kind)
    , space(space)
    , rows(rows)
    , n_q(n_q)
  {}

  ColumnKind kind_of() const { return kind; }
  bool       is_points() const { return kind == ColumnKind::quadrature_points; }
  bool       is_by_component() const { return kind == ColumnKind::nodal_values_by_component; }
  bool       is_prescribed() const { return kind == ColumnKind::prescribed_values; }
  bool       has_identity() const { return kind == ColumnKind::unknowns && space == &rows; }
  bool       has_identity(int row) const { return has_identity() && row < rows.n_owned() && !rows.is_free(row); }

  int n() const
  {
    return is_points() ? to_index(std::size_t(rows.n_cells()) * n_q, "quadrature points") :
                         (is_prescribed() ? space->B.n_cols : space->n_dofs());
  }
  int per_cell() const { return is_points() ? n_q : space->dofs_per_cell(); }

  /// Returns the number of columns in a group: columns that only occur together and follow each other. A group has the
  /// components of a node or the points of a cell, so products with dense blocks need fewer indices. By component, a
  /// row has one column of each group, at the row's own place in its node.
  int group() const
  {
    const bool whole_nodes =
      kind == ColumnKind::unknowns || kind == ColumnKind::nodal_values || (is_by_component() && space == &rows);
    return is_points() ? n_q : (whole_nodes ? space->node_size() : 1);
  }

  const LevelSpace<dim> *functions() const { return space; } ///< null for quadrature points

  /// Whether the local matrix of a cell has entries in these columns.
  bool act_on(int cell) const
  {
    if (!is_prescribed())
      return true;
    const int *dofs = space->cell_dofs(cell);
    return space->has_constraints(cell) && std::any_of(dofs, dofs + per_cell(), [this](int dof) {
             return space->B.row_start[dof] < space->B.row_start[dof + 1];
           });
  }

  /// Whether a local column of the cell acts elsewhere than at its own DoF.
  bool constrains(int cell) const
  {
    return is_prescribed() || (kind == ColumnKind::unknowns && space->has_constraints(cell));
  }

  /// Calls action(column, weight) for each column that local column j of the cell acts on.
  template <typename Action>
  void for_each(int cell, int j, const Action &action) const
  {
    if (is_points())
      return action(cell * n_q + j, 1.);
    const int dof = space->cell_dofs(cell)[j];
    if (!constrains(cell))
      return action(dof, 1.);
    const auto &map = kind == ColumnKind::unknowns ? space->H : space->B;
    for (auto k = map.row_start[dof]; k < map.row_start[dof + 1]; ++k)
      action(map.column[k], map.value[k]);
  }

  /// Returns the global numbers of the columns.
  std::shared_ptr<const Partitioner> numbers() const;

private:
  ColumnKind             kind;
  const LevelSpace<dim> *space;
  const LevelSpace<dim> &rows;
  int                    n_q;
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
