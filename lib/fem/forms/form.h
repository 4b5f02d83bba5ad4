#pragma once

#include "algebra/matrix.h"
#include "base/csr/csr_matrix.h"
#include "fem/forms/cell_context.h"

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
template <int dim>
class AssemblyTables;
struct CellSums;
class CompressedRows;
template <int dim>
class Field;
struct LevelData;
template <int dim>
class LevelForm;
template <int dim>
class LevelMeshes;
class RowlessMatrix;

enum class ColumnKind
{
  unknowns,
  nodal_values,
  nodal_values_by_component,
  prescribed_values,
  quadrature_points
};

/// Says to what the columns of a form's matrix belong; the functions below make it.
template <int dim>
struct Columns
{
  ColumnKind        kind;
  const Field<dim> *field; ///< field of the columns; null for quadrature points
};

/// @name Columns
/// Let A be the matrix of all cells added up without constraints, and u = H x + B g the nodal values of each field. The
/// rows of a form belong to the unknowns x of one field. Its columns belong to one of these:
/// @{

/// Returns columns for the unknowns x of `field`; the matrix is H_rowsᵀ A H. If `field` has the rows, too, then
/// constrained rows are rows of the identity, and the matrix is a system matrix.
template <int dim>
Columns<dim> unknowns(const Field<dim> &field)
{
  return {ColumnKind::unknowns, &field};
}

/// Returns columns for the nodal values u of `field`; the matrix is H_rowsᵀ A.
template <int dim>
Columns<dim> nodal_values(const Field<dim> &field)
{
  return {ColumnKind::nodal_values, &field};
}

/// Returns columns as nodal_values(), for an A that couples each component with itself only, as mass matrices do. No
/// condition of the rows may join components, as DirichletBoundary::normal does.
template <int dim>
Columns<dim> nodal_values_by_component(const Field<dim> &field)
{
  return {ColumnKind::nodal_values_by_component, &field};
}

/// Returns columns for the prescribed values g of `field`: H_rowsᵀ A B. The kernel is called on cells with such values.
template <int dim>
Columns<dim> prescribed_values(const Field<dim> &field)
{
  return {ColumnKind::prescribed_values, &field};
}

/// Returns columns for values at the quadrature points of all cells of the rank; the matrix is H_rowsᵀ A. Point q of
/// cell c is column c n_q + q, as in quadrature_points(space, mapping, quadrature).
template <int dim>
Columns<dim> quadrature_points()
{
  return {ColumnKind::quadrature_points, nullptr};
}
/// @}

enum class Levels
{
  finest, ///< only the finest level of the fields
  all     ///< all levels of the fields, for multigrid
};

/// A bilinear form of two fields, or of one, as a sparse matrix in host memory:
/// ```
///   Form<dim> A("A", u, unknowns(u), mapping, quadrature, update_gradients | update_JxW_values,
///               [&](const CellContext<dim> &cell, FullMatrix<double> &local) {
///                 for (const unsigned int q : cell.quadrature_point_indices())
///                   for (const unsigned int i : cell.dof_indices())
///                     for (const unsigned int j : cell.dof_indices())
///                       local(i, j) += viscosity * cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
///               }, Levels::all);
///   A.update();
/// ```
/// A form's fields share level meshes and have the same finest level. The first update builds the patterns, which are
/// kept; values are computed as often as needed. Threads own ranges of rows and visit cells in order. So the result is
/// equal to the last bit for any number of threads. (With deal.II 9.4 its own thread limit has to be above one, because
/// with one thread FEValues reuses data of similar cells.) Each rank has its owned rows, summed over the cells of all
/// ranks.
template <int dim>
class Form
{
public:
  /// The user's function that computes the local matrix of a cell from shape functions. `local` comes zeroed; it has
  /// rows().dofs_per_cell() rows, and columns().dofs_per_cell() or n_quadrature_points() columns. Several threads call
  /// it at once, and two call it for a cell at the border of their rows. If it asks only for data that cells of a shape
  /// share (CellContext), it is called once for a shape. With more than 256 shapes, it is called once for cells of a
  /// shape that follow each other. It must not write to anything else. Its exceptions reach the caller of update().
  using Kernel = std::function<void(const CellContext<dim> &cell, dealii::FullMatrix<double> &local)>;

  /// Makes a form without values yet. The fields and `mapping` have to outlive it. Throws RunError where the fields
  /// differ in level meshes or finest level.
  Form(std::string name, const Field<dim> &rows, const Columns<dim> &columns, const dealii::Mapping<dim> &mapping,
       const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, Kernel kernel,
       Levels levels = Levels::finest);
  ~Form();
  Form(const Form &)            = delete;
  Form &operator=(const Form &) = delete;

  /// Computes the values by the kernel, on all levels of the form. Matrices that `matrix` has returned remain valid and
  /// get the new values. All ranks call it together.
  void update();
  /// Computes the values on one level.
  void update(std::size_t level);

  /// Computes the values on a device, by a cell kernel (cell_kernel.h) for each level, kernel_of(level). Only the
  /// device has the values: matrix() is their pattern, and on_device() returns them. Values on host and device agree to
  /// rounding; both repeat to the bit. All nodes of the fields have all components of their element; columns are
  /// unknowns() or nodal_values(). Devices exchange the values of rows that other ranks own, and add them up in the
  /// order of the ranks.
  template <class KernelOfLevel>
  void update(const Device &device, const KernelOfLevel &kernel_of)
  {
    for (std::size_t level = first_level(); level < n_levels(); ++level)
      if (stores(level))
        update(device, level, kernel_of(level));
  }
  /// Computes the values of one level on a device. The caller includes fem/forms/assembly_tables.h.
  template <class CellKernel>
  void update(const Device &device, std::size_t level, const CellKernel &cell_kernel)
  {
    tables(device, level).assemble(device, cell_kernel);
    finish(device, level);
  }
  /// Computes the values by the form's own kernel. The host computes a local matrix for each shape of cells, or for
  /// each cell where the kernel asks for more, and the device adds them up.
  void update(const Device &device);
  /// Returns the values of a level in the memory of the device; null where the host has them.
  std::shared_ptr<const CompressedRows> on_device(std::size_t level) const;
  /// Returns the matrix of a level for multigrid, with values on the device, in host memory or not stored, without
  /// transfer.
  LevelData level(std::size_t level) const;
  /// Takes matrices without stored entries for the levels where these are not null. Updates leave such levels out.
  void take(std::vector<std::shared_ptr<const RowlessMatrix>> matrices);

  /// Frees patterns and, where nobody else holds them, matrices; the next update builds them anew.
  void release();

  const std::string  &name() const { return name_; }
  const Field<dim>   &rows() const { return row_field; }
  const Columns<dim> &columns() const { return columns_; }

  /// Returns the matrix of a level; rows and columns have the numbers of the fields' spaces. Throws RunError where
  /// there is none: on coarser levels with Levels::finest, and before the first update.
  SharedMatrix matrix(std::size_t level) const;
  SharedMatrix finest() const { return matrix(n_levels() - 1); }

  /// Returns the finest level's matrix as sums over cells, for products alone, if the columns are quadrature_points().
  /// It takes a small part of the memory of the entries, and needs no update(). It has the rank's cells; all ranks call
  /// it together. Throws RunError for other columns.
  CellSums sums_over_cells() const;

private:
  template <int>
  friend class LevelForm;
  template <int>
  friend class HierarchyBuilder;
  std::size_t          n_levels() const; // of the fields
  std::size_t          first_level() const { return levels == Levels::all ? 0 : n_levels() - 1; }
  bool                 stores(std::size_t level) const { return level >= rowless.size() || !rowless[level]; }
  LevelForm<dim>      &made(std::size_t level);
  AssemblyTables<dim> &tables(const Device &device, std::size_t level);
  void                 finish(const Device &device, std::size_t level); // after assembly there

  std::string                                       name_;
  const Field<dim>                                 &row_field;
  Columns<dim>                                      columns_;
  const dealii::Mapping<dim>                       &mapping;
  dealii::Quadrature<dim>                           quadrature;
  dealii::UpdateFlags                               flags;
  Kernel                                            kernel;
  Levels                                            levels;
  std::vector<std::unique_ptr<LevelForm<dim>>>      level_forms; // by level; null where there is none yet or any more
  std::vector<std::shared_ptr<CSRMatrix<double>>>   kept;        // by level: the matrix, where nothing else is kept
  std::vector<std::shared_ptr<const RowlessMatrix>> rowless;     // by level, empty where all are stored
};

/// Returns the data that multigrid needs of a system matrix with Levels::all and columns unknowns(field), after
/// update(). The matrices are shared, so after another update of the form the data have the new values. Throws RunError
/// for other forms.
template <int dim>
std::vector<LevelData> levels_of(const Field<dim> &field, const Form<dim> &form);

/// @name A form's finest matrix with changing values, on a device, for products
/// `update_matrix` takes the values that the form has now, on the device or in host memory.
/// @{
template <int dim>
Matrix<double> make_matrix(const Device &device, const Form<dim> &form);
template <int dim>
void update_matrix(const Form<dim> &form, Matrix<double> &A);
/// @}

/// Assembles the form's finest matrix on a device, with new values. A matrix with columns quadrature_points() can only
/// be used for products (CellSums). The form keeps nothing of the matrix on the host.
template <int dim>
Matrix<double> assemble_on(const Device &device, Form<dim> &form);
} // namespace adamant
