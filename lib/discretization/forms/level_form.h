#pragma once

#include "discretization/forms/cell_rows.h"
#include "discretization/forms/form.h"
#include "discretization/forms/level_columns.h"

#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// A form on one level: the pattern of its matrix, built by make_pattern(), and its values, of the cells that this
/// rank owns. On several ranks these are parts of rows that sum_rows adds up.
template <int dim>
class LevelForm
{
public:
  /// All arguments have to outlive the object, but for `columns`.
  LevelForm(std::size_t level, const LevelSpace<dim> &rows, const LevelColumns<dim> &columns,
            const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags);

  void make_pattern();
  void assemble(const typename Form<dim>::Kernel &kernel); ///< after it

  /// The matrix in place of its rows: see Form.
  CellSums sums_over_cells(const typename Form<dim>::Kernel &kernel) const;

  /// One for all cells of a shape where the kernel asks for nothing else of them; `result` may be that of an earlier
  /// call. Nodes have all components of their element; columns may be quadrature points, which are as blocks of 1 x 1.
  void tabulate(const typename Form<dim>::Kernel &kernel, TabulatedMatrices &result) const;

  const LevelColumns<dim>           &columns() const { return columns_; }
  const CellRows<dim>               &acting_cells() const { return cells; }
  const LevelSpace<dim>             &row_space() const { return rows; }
  std::shared_ptr<CSRMatrix<double>> matrix; ///< a row for each local DoF

  /// Frees what only the first assemble() would have needed: a device has the values.
  void leave_values_to_device()
  {
    row_cells.reset();
    matrix->value = Array<double>();
  }

private:
  struct Evaluation;
  struct Shapes
  {
    Array<int> of_cells;  // one of each, by its place among the acting cells
    Array<int> of_number; // of each cell
  };
  struct RowSum;
  Shapes                                  list_shapes() const;
  std::vector<dealii::FullMatrix<double>> local_matrices(const typename Form<dim>::Kernel &kernel,
                                                         const Array<int>                 &of_cells) const;
  bool tabulate(const typename Form<dim>::Kernel &kernel, const Array<int> &of_cells, Array<double> &values) const;
  void copy_blocks(const dealii::FullMatrix<double> &local, double *to) const;
  void assemble_cells(int first, int end, const typename Form<dim>::Kernel &kernel);
  void clear_rows(int first, int end);
  void add_cell(int cell, int first, int end, const dealii::FullMatrix<double> &local);

  std::size_t                    level;
  const LevelSpace<dim>         &rows;
  LevelColumns<dim>              columns_;
  const dealii::Mapping<dim>    &mapping;
  const dealii::Quadrature<dim> &quadrature;
  dealii::UpdateFlags            flags;
  std::vector<unsigned int>      row_component, column_component; // of each DoF of a cell
  CellRows<dim>                  cells;                           // those with entries in the matrix
  Array<int>              representative; // of each of them: a cell with the same shape functions, JxW and gradients
  Array<char>             repeats;        // of the pattern
  std::optional<RowCells> row_cells;      // from the pattern to the first values
};
} // namespace adamant
