#pragma once

#include "base/array.h"
#include "base/exceptions.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/fe_values.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// The shape functions of one element on one cell at the quadrature points, as a kernel reads them. They have the
/// numbers of the cell's DoFs; each is nonzero in one component. The form's update flags say which data there are.
template <int dim>
class CellFunctions
{
public:
  unsigned int dofs_per_cell() const { return values->dofs_per_cell; }
  auto         dof_indices() const { return values->dof_indices(); } ///< 0, 1, ..., dofs_per_cell - 1

  double                        value(unsigned int i, unsigned int q) const { return values->shape_value(i, q); }
  const dealii::Tensor<1, dim> &gradient(unsigned int i, unsigned int q) const { return values->shape_grad(i, q); }
  const dealii::Tensor<2, dim> &hessian(unsigned int i, unsigned int q) const { return values->shape_hessian(i, q); }
  unsigned int component(unsigned int i) const { return values->get_fe().system_to_component_index(i).first; }
  unsigned int n_components() const { return values->get_fe().n_components(); }
  /// Returns the number of function i among the functions of its component.
  unsigned int node(unsigned int i) const { return values->get_fe().system_to_component_index(i).second; }

  /// Returns the local numbers of the cell's DoFs in the field's space on this level.
  const int *dofs() const
  {
    *of_one_cell = true;
    return space->cell_dofs(cell);
  }

private:
  template <int>
  friend class CellContext;
  template <int>
  friend class LevelForm;
  CellFunctions() = default;
  CellFunctions(const dealii::FEValues<dim> &values, const LevelSpace<dim> &space, bool &of_one_cell)
    : values(&values)
    , space(&space)
    , of_one_cell(&of_one_cell)
  {}

  const dealii::FEValues<dim> *values      = nullptr; // may be at another cell of the same shape
  const LevelSpace<dim>       *space       = nullptr;
  int                          cell        = -1;
  bool                        *of_one_cell = nullptr; // see CellContext
};

/// A cell and its shape functions, as the kernel of a form sees them. Cells that are translations of each other share
/// shape functions; all other data, such as DoFs and nodal values, are the cell's own. If a kernel asks only for shape
/// functions, JxW, diameter, material id and level, then one local matrix serves all cells of a shape.
template <int dim>
class CellContext
{
public:
  using Cell = typename LevelSpace<dim>::Cell;

  /// Returns the cell. On coarser levels of a serial mesh it is in the finest mesh's tree and may be refined. Then
  /// material_id(cell) and boundary_id(face) return the ids that users have set on its children.
  Cell cell() const { return rows_.space->active_cells()[cell_number()]; }
  int  cell_number() const ///< number on this rank, see LevelSpace::active_cells
  {
    of_one_cell = true;
    return rows_.cell;
  }
  double diameter() const { return rows_.values->get_cell()->diameter(); } ///< equal for all cells of a shape
  /// Returns the cell's material id; cells of different materials have different shapes.
  dealii::types::material_id material_id() const { return adamant::material_id(rows_.values->get_cell()); }
  std::size_t                level() const { return level_; }

  unsigned int n_quadrature_points() const { return rows_.values->n_quadrature_points; }
  auto         quadrature_point_indices() const { return rows_.values->quadrature_point_indices(); }
  double       JxW(unsigned int q) const { return rows_.values->JxW(q); }
  /// Returns quadrature point q. Throws RunError unless the form was made with update_quadrature_points.
  const dealii::Point<dim> &quadrature_point(unsigned int q) const
  {
    if ((rows_.values->get_update_flags() & dealii::update_quadrature_points) == 0)
      throw RunError("a form's kernel reads quadrature points, but its update flags lack update_quadrature_points");
    return rows_.values->quadrature_point(q);
  }
  /// Returns the quadrature points moved by some vector, which differs between the cells of a shape.
  std::vector<dealii::Point<dim>> quadrature_points_of_shape() const
  {
    std::vector<dealii::Point<dim>> points;
    for (const auto &point : rows_.values->get_quadrature().get_points())
      points.push_back(rows_.values->get_mapping().transform_unit_to_real_cell(rows_.values->get_cell(), point));
    return points;
  }

  const CellFunctions<dim> &rows() const { return rows_; }
  const CellFunctions<dim> &columns() const { return columns_; } ///< none where the columns are quadrature points

  /// @name Functions of rows(), for forms whose rows and columns belong to one field
  /// @{
  unsigned int                  dofs_per_cell() const { return rows_.dofs_per_cell(); }
  auto                          dof_indices() const { return rows_.dof_indices(); }
  double                        value(unsigned int i, unsigned int q) const { return rows_.value(i, q); }
  const dealii::Tensor<1, dim> &gradient(unsigned int i, unsigned int q) const { return rows_.gradient(i, q); }
  const dealii::Tensor<2, dim> &hessian(unsigned int i, unsigned int q) const { return rows_.hessian(i, q); }
  unsigned int                  component(unsigned int i) const { return rows_.component(i); }
  unsigned int degree() const { return rows_.values->get_fe().degree; } ///< polynomial degree of the element
  /// @}

private:
  template <int>
  friend class LevelForm;
  CellContext() = default;
  void move_to(int cell)
  {
    rows_.cell = columns_.cell = cell;
    of_one_cell                = false;
  }

  CellFunctions<dim> rows_, columns_;
  std::size_t        level_      = 0;
  mutable bool       of_one_cell = false; // whether the kernel has asked for data that cells of one shape do not share
};

} // namespace adamant
