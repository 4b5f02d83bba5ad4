#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/full_matrix.h>

#include <functional>
#include <vector>

namespace adamant
{
/// What the columns of an assembled matrix belong to. Its rows always belong to the free unknowns: with A the
/// matrix of all cells added up without constraints, u = H x + B g, the exported matrix is
enum class Columns
{
  unknowns,         ///< Hᵀ A H, and the identity on constrained rows: the system matrix, n x n
  dofs,             ///< Hᵀ A: acts on nodal values u, n x n
  component_dofs,   ///< the same for an A that couples each component with itself only, as mass matrices do
  prescribed,       ///< Hᵀ A B: acts on prescribed values g, n x n_prescribed
  quadrature_points ///< Hᵀ A: acts on values at the quadrature points, n x (n_cells n_q), point cell * n_q + q
};

/// The user's part: from the shape functions on one cell to its local matrices, one for each exported matrix. They come
/// zeroed, dofs_per_cell x dofs_per_cell, or dofs_per_cell x n_q for Columns::quadrature_points. It is called from
/// several threads at once and must not write to anything else. Where quadrature points are not asked for, `fe_values`
/// may stand on another cell of the same shape: take materials and the like from `cell`.
template <int dim>
using CellAssembler =
  std::function<void(const typename dealii::DoFHandler<dim>::active_cell_iterator &cell,
                     const dealii::FEValues<dim> &fe_values, std::vector<dealii::FullMatrix<double>> &local)>;

/// Assembles matrices on one level, of the cells that this rank owns: on several ranks, parts of rows that sum_rows adds up. The patterns are built once, values as often as needed. Threads own ranges of rows and
/// visit cells in order, so the result is the same to the last bit for any number of threads (deal.II 9.4: if its own
/// thread limit is above one; with one thread FEValues reuses data of similar cells).
template <int dim>
class Assembly
{
public:
  /// `space` and `mapping` have to outlive the object.
  Assembly(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
           dealii::UpdateFlags flags, const std::vector<Columns> &columns);

  /// Fills the values of all matrices.
  void assemble(const CellAssembler<dim> &cell_assembler);

  /// In the order of `columns`; to be swapped or moved out, and back before values are assembled again.
  std::vector<CSRMatrix<double>> matrices;

private:
  void find_representatives();
  void find_cells_of_rows();
  bool reaches(int cell, int first_row, int end_row) const
  {
    return lowest_row[cell] < end_row && highest_row[cell] >= first_row;
  }
  bool has_identity(Columns kind, int row) const
  {
    return kind == Columns::unknowns && row < space.n_owned() && !space.is_free(row);
  }
  void build_pattern(Columns kind, CSRMatrix<double> &matrix);
  void clear_rows(int first_row, int end_row);
  void add_cell(int cell, int first_row, int end_row, const std::vector<dealii::FullMatrix<double>> &local);

  const LevelSpace<dim>      &space;
  const dealii::Mapping<dim> &mapping;
  dealii::Quadrature<dim>     quadrature;
  dealii::UpdateFlags         flags;
  std::vector<Columns>        columns;
  Array<int>                  lowest_row, highest_row; // of each cell
  std::vector<unsigned int>   component;               // of each DoF of a cell
  Array<int>                  representative;          // a cell with the same shape functions, JxW and gradients
  Array<std::size_t>          cells_start;             // while patterns are built: the cells that act on row i are
  Array<int>                  cells_of_rows;           // cells_of_rows[k], cells_start[i] <= k < cells_start[i + 1]
};
} // namespace adamant
