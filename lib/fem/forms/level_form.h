#pragma once

#include "algebra/cell_sums.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/cell_rows.h"
#include "fem/forms/form.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// A form on one level: the pattern of its matrix, which make_pattern() builds, and the values from the cells of this
/// rank. On several ranks its rows are parts that sum_rows adds up.
template <int dim>
class LevelForm
{
public:
  /// `form` has to outlive the object.
  LevelForm(const Form<dim> &form, std::size_t level);

  void make_pattern();
  /// Computes the values in host memory and adds them up over ranks, after make_pattern().
  void update();
  /// Computes local matrices in host memory; the device adds them up over cells and ranks.
  void update(const Device &device);
  /// Returns the tables by which a device computes the values. The first call makes them and frees the host's values.
  AssemblyTables<dim> &tables(const Device &device);
  /// Adds up over ranks the values that the device has computed. On one rank there is nothing to do.
  void sum_over_ranks(const Device &device);
  /// Returns the values in the memory of the device; null where it has computed none.
  std::shared_ptr<const CompressedRows> on_device() const;

  /// Returns the matrix as sums over cells; see Form::sums_over_cells.
  CellSums sums_over_cells() const;

  /// Computes a local matrix for each shape of cells, or for each cell where the kernel asks for more. `result` may
  /// come from an earlier call. Nodes have all components; a quadrature point is a node of one component.
  void tabulate(TabulatedMatrices &result) const;

  const LevelSpace<dim>             &rows;
  const LevelColumns<dim>            columns;
  const Array<int>                   cells;  ///< the cells with entries in the matrix
  std::shared_ptr<CSRMatrix<double>> matrix; ///< a row for each local DoF
  std::shared_ptr<CSRMatrix<double>> sum;    ///< the owned rows, added up over ranks; on one rank it is `matrix`

private:
  using Local = dealii::FullMatrix<double>;
  struct Evaluation;

  void assemble();
  void sum_over_ranks();
  bool evaluate(const Array<int> &of_cells, const std::function<void(int, const Local &)> &take) const;
  void copy_blocks(const Local &local, double *to) const;
  bool same_local_matrices(int row, int other, const Array<int> &shapes) const;
  void add_cells_to_row(int row, const Array<int> &shapes, const std::vector<Local> &local);
  void clear_rows(int first, int end);
  void add_cell(int cell, int first, int end, const Local &local);

  const Form<dim>                &form;
  const std::size_t               level;
  const std::vector<unsigned int> row_component, column_component; // of each DoF of a cell
  const Array<int>        representative; // of each of `cells`: a cell with the same shape functions, JxW and gradients
  Array<char>             repeats;        // of the pattern
  std::optional<RowCells> row_cells;      // from the pattern to the first values

  std::unique_ptr<AssemblyTables<dim>> assembly; // of values that a device computes
  std::shared_ptr<CompressedRows>      summed;   // on several ranks: these values added up, G · values
  Matrix<double>                       G;
};
} // namespace adamant
