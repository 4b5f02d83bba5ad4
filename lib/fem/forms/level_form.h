#pragma once

#include "fem/forms/cell_rows.h"
#include "fem/forms/form.h"

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
  /// All arguments except `columns` have to outlive the object.
  LevelForm(std::size_t level, const LevelSpace<dim> &rows, const LevelColumns<dim> &columns,
            const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags);

  void make_pattern();
  /// Computes the values in host memory and adds them up over ranks, after make_pattern().
  void update(const typename Form<dim>::Kernel &kernel);
  /// Computes local matrices in host memory; the device adds them up over cells and ranks.
  void update(const Device &device, const typename Form<dim>::Kernel &kernel);
  /// Returns the tables by which a device computes the values. The first call makes them and frees the host's values.
  AssemblyTables<dim> &tables(const Device &device);
  /// Adds up over ranks the values that the device has computed. On one rank there is nothing to do.
  void sum_over_ranks(const Device &device);
  /// Returns the values in the memory of the device; null where it has computed none.
  std::shared_ptr<const CompressedRows> on_device() const;

  /// Returns the matrix as sums over cells; see Form::sums_over_cells.
  CellSums sums_over_cells(const typename Form<dim>::Kernel &kernel) const;

  /// Computes a local matrix for each shape of cells, or for each cell where the kernel asks for more. `result` may
  /// come from an earlier call. Nodes have all components; a quadrature point is a node of one component.
  void tabulate(const typename Form<dim>::Kernel &kernel, TabulatedMatrices &result) const;

  const LevelColumns<dim>           &columns() const { return columns_; }
  const CellRows<dim>               &acting_cells() const { return cells; }
  const LevelSpace<dim>             &row_space() const { return rows; }
  std::shared_ptr<CSRMatrix<double>> matrix; ///< a row for each local DoF
  std::shared_ptr<CSRMatrix<double>> sum;    ///< the owned rows, added up over ranks; on one rank it is `matrix`

private:
  void assemble(const typename Form<dim>::Kernel &kernel);
  void sum_over_ranks();

  struct Evaluation;
  struct Shapes
  {
    Array<int> of_cells;  // one for each shape: its place among the acting cells
    Array<int> of_number; // shape of each cell
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
  CellRows<dim>                  cells;                           // the cells with entries in the matrix
  Array<int>              representative; // of each of `cells`: a cell with the same shape functions, JxW and gradients
  Array<char>             repeats;        // of the pattern
  std::optional<RowCells> row_cells;      // from the pattern to the first values

  std::unique_ptr<AssemblyTables<dim>> assembly; // of values that a device computes
  std::shared_ptr<CompressedRows>      summed;   // on several ranks: these values added up, G · values
  Matrix<double>                       G;
};
} // namespace adamant
