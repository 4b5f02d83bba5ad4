#pragma once

#include "algebra/cell_sums.h"
#include "base/csr_matrix.h"
#include "discretization/fields/field.h"
#include "discretization/forms/assembly_tables.h"
#include "discretization/forms/cell_context.h"
#include "multigrid/level_data.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/full_matrix.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
enum class ColumnKind
{
  unknowns,
  nodal_values,
  nodal_values_by_component,
  prescribed_values,
  quadrature_points
};

/// What the columns of a form's matrix belong to; made by the functions below.
template <int dim>
struct Columns
{
  ColumnKind        kind;
  const Field<dim> *field; ///< of the columns; null for quadrature points
};

/// @name Columns
/// With A the matrix of all cells added up without constraints, and u = H x + B g for each field, the rows of a form
/// belong to the unknowns x of one field, and its columns to one of these:
/// @{

/// H_rowsᵀ A H: acts on the unknowns x of `field`. Where it is also the field of the rows, constrained rows are those
/// of the identity: a system matrix.
template <int dim>
Columns<dim> unknowns(const Field<dim> &field)
{
  return {ColumnKind::unknowns, &field};
}

/// H_rowsᵀ A: acts on the nodal values u of `field`.
template <int dim>
Columns<dim> nodal_values(const Field<dim> &field)
{
  return {ColumnKind::nodal_values, &field};
}

/// The same for an A that couples each component with itself only, as mass matrices do: other entries are not stored.
template <int dim>
Columns<dim> nodal_values_by_component(const Field<dim> &field)
{
  return {ColumnKind::nodal_values_by_component, &field};
}

/// H_rowsᵀ A B: acts on the prescribed values g of `field`. The kernel is called on cells alone that have such.
template <int dim>
Columns<dim> prescribed_values(const Field<dim> &field)
{
  return {ColumnKind::prescribed_values, &field};
}

/// H_rowsᵀ A: acts on values at the quadrature points of all cells of the rank, point q of cell c is column c n_q + q,
/// as in quadrature_points(space, mapping, quadrature).
template <int dim>
Columns<dim> quadrature_points()
{
  return {ColumnKind::quadrature_points, nullptr};
}
/// @}

enum class Levels
{
  finest, ///< the finest level of the fields alone
  all     ///< each of them, for multigrid
};

/// A bilinear form of two fields (or of one with itself) as a sparse matrix, in host memory:
///
///   Form<dim> A("A", u, unknowns(u), mapping, quadrature, update_gradients | update_JxW_values,
///               [&](const CellContext<dim> &cell, FullMatrix<double> &local) {
///                 for (const unsigned int q : cell.quadrature_point_indices())
///                   for (const unsigned int i : cell.dof_indices())
///                     for (const unsigned int j : cell.dof_indices())
///                       local(i, j) += viscosity * cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
///               }, Levels::all);
///   A.update();
///
/// Fields of one form share their level meshes and have the same finest level. Patterns are built by the first update
/// and kept, values are computed as often as needed. Threads own ranges of rows and visit cells in order, so that the
/// result is the same to the last bit for any number of threads (deal.II 9.4: if its own thread limit is above one;
/// with one thread FEValues reuses data of similar cells). On several ranks each has its owned rows, summed over the
/// cells of all ranks.
template <int dim>
class Form
{
public:
  /// The user's part: from the shape functions on one cell to its local matrix, which comes zeroed:
  /// rows().dofs_per_cell() x columns().dofs_per_cell(), or x n_quadrature_points() where the columns are these. It is
  /// called from several threads at once, for a cell at the border of two threads' rows by both; but once for all cells
  /// of one shape where it asks for nothing else of them (CellContext), or, of more than 256 shapes, for those that
  /// follow each other. It must not write to anything else. What it throws reaches the caller of update().
  using Kernel = std::function<void(const CellContext<dim> &cell, dealii::FullMatrix<double> &local)>;

  /// The fields and `mapping` have to outlive the form. Throws RunError where the fields do not fit together.
  Form(std::string name, const Field<dim> &rows, const Columns<dim> &columns, const dealii::Mapping<dim> &mapping,
       const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, Kernel kernel,
       Levels levels = Levels::finest);
  ~Form();
  Form(const Form &)            = delete;
  Form &operator=(const Form &) = delete;

  /// Computes the values by the kernel, on all levels of the form. The matrices that `matrix` has given stay the same
  /// objects and get the new values. All ranks call it together.
  void update();
  /// The same on one level.
  void update(std::size_t level);

  /// The same on a device, by a cell kernel (cell_kernel.h): kernel_of(level) is that of a level. The device keeps the
  /// values and the host does not see them: matrix() is their pattern, and on_device() holds them. Host and device
  /// agree to rounding, each gives the same bits in every run. The fields' nodes have all components of their element;
  /// the columns are unknowns() or nodal_values(). On several ranks devices exchange the values of rows that others
  /// own, and add them up in the order of the ranks.
  template <class KernelOfLevel>
  void update(const Device &device, const KernelOfLevel &kernel_of)
  {
    for (std::size_t level = first_level(); level < row_field.n_levels(); ++level)
      update(device, level, kernel_of(level));
  }
  /// The same on one level.
  template <class CellKernel>
  void update(const Device &device, std::size_t level, const CellKernel &cell_kernel)
  {
    tables(device, level).assemble(device, cell_kernel);
    finish(device, level);
  }
  /// The same by the kernel that the form was made with: the host computes a local matrix for each shape of cells, or
  /// for each cell where the kernel asks for more, and the device adds them up.
  void update(const Device &device);
  /// The values of a level that the device has; null where the host has them.
  std::shared_ptr<const CompressedRows> on_device(std::size_t level) const;

  /// Frees what only further updates of a level need: its space may go. The matrix stays; the next update builds
  /// another.
  void keep_matrix(std::size_t level);
  /// Frees the entries of a level's matrix, also for those who share it: a device has them, and their number stays.
  void release_entries(std::size_t level);
  /// Frees patterns and, where nobody else holds them, matrices; the next update builds them anew.
  void release();

  const std::string  &name() const { return name_; }
  const Field<dim>   &rows() const { return row_field; }
  const Columns<dim> &columns() const { return columns_; }

  /// The matrix of one level, rows and columns numbered as the fields' spaces there. Throws RunError where the form has
  /// none: on coarser levels with Levels::finest, and before the first update.
  std::shared_ptr<const CSRMatrix<double>> matrix(std::size_t level) const;
  std::shared_ptr<const CSRMatrix<double>> finest() const { return matrix(row_field.n_levels() - 1); }

  /// The finest level's matrix, of columns quadrature_points(), in a small part of the memory that its entries take:
  /// for products, and needs no update(). Where fields are spread over ranks it is of the rank's cells, and all ranks
  /// call it together. Throws RunError for other columns.
  CellSums sums_over_cells() const;

private:
  struct Level;
  LevelForm<dim>       on_level(std::size_t level) const;
  std::size_t          first_level() const { return levels == Levels::all ? 0 : row_field.n_levels() - 1; }
  Level               &made(std::size_t level);
  AssemblyTables<dim> &tables(const Device &device, std::size_t level);
  void                 sum_over_ranks(Level &made);
  void                 finish(const Device &device, std::size_t level); // after assembly there

  std::string                         name_;
  const Field<dim>                   &row_field;
  Columns<dim>                        columns_;
  const dealii::Mapping<dim>         &mapping;
  dealii::Quadrature<dim>             quadrature;
  dealii::UpdateFlags                 flags;
  Kernel                              kernel;
  Levels                              levels;
  std::vector<std::unique_ptr<Level>> level_forms; // by level; null where the form has none or before the first update
};

/// What multigrid needs of a system matrix with Levels::all and columns unknowns(field), after update(). The matrices
/// are shared, not copied: after a further update of the form the same data have the new values. On levels with `cells`
/// these are the matrix, and the form has none.
template <int dim>
std::vector<LevelData> levels_of(const Field<dim> &field, const Form<dim> &form,
                                 const std::vector<std::shared_ptr<CellMatrix>> &cells = {});

/// The same of a matrix that does not change and was not updated, in less memory: the levels with more unknowns than
/// `at_once` are made when multigrid asks for them, the matrix after the transfer, and what it has asked for before is
/// freed: entries, coarser spaces and, before the finest transfer, `meshes`. Multigrid is built once. All ranks call it
/// together.
template <int dim>
std::vector<LevelData> levels_in_turn(LevelMeshes<dim> &meshes, Field<dim> &field, Form<dim> &form,
                                      std::size_t at_once);

/// @name The finest matrix of a form whose values change, on a device for products
/// `update_matrix` takes the values that the form has now, on the device or in host memory.
/// @{
template <int dim>
Matrix<double> make_matrix(const Device &device, const Form<dim> &form);
template <int dim>
void update_matrix(const Form<dim> &form, Matrix<double> &A);
/// @}
} // namespace adamant
