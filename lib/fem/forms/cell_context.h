#pragma once

#include "base/exceptions.h"

#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/tria.h>

#include <cstddef>
#include <vector>

namespace adamant
{
template <int dim>
class LevelSpace;

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
  unsigned int degree() const { return values->get_fe().degree; } ///< polynomial degree of the element
  /// Returns the number of function i among the functions of its component.
  unsigned int node(unsigned int i) const { return values->get_fe().system_to_component_index(i).second; }

  /// Returns the local numbers of the cell's DoFs in the field's space on this level.
  const int *dofs() const;

private:
  template <int>
  friend class CellContext;
  template <int>
  friend class LevelForm;
  CellFunctions() = default;

  const dealii::FEValues<dim> *values      = nullptr; // may be at another cell of the same shape
  const LevelSpace<dim>       *space       = nullptr;
  int                          number      = -1;      // of the cell
  bool                        *of_one_cell = nullptr; // of all copies: whether a kernel has asked for a cell's own data
};

/// A cell and its shape functions, as the kernel of a form sees them. Cells that are translations of each other share
/// shape functions; all other data, such as DoFs and nodal values, are the cell's own. If a kernel asks only for shape
/// functions, JxW, diameter, material id and level, then one local matrix serves all cells of a shape.
template <int dim>
class CellContext : public CellFunctions<dim>
{
public:
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;

  /// Returns the cell. On coarser levels of a serial mesh it is in the finest mesh's tree and may be refined. Then
  /// material_id(cell) and boundary_id(face) return the ids that users have set on its children.
  Cell cell() const;
  int  cell_number() const ///< number on this rank, see LevelSpace::active_cells
  {
    *this->of_one_cell = true;
    return number;
  }
  double diameter() const { return values->get_cell()->diameter(); } ///< equal for all cells of a shape
  /// Returns the cell's material id; cells of different materials have different shapes.
  dealii::types::material_id material_id() const;
  std::size_t                level() const { return level_; }

  unsigned int n_quadrature_points() const { return values->n_quadrature_points; }
  auto         quadrature_point_indices() const { return values->quadrature_point_indices(); }
  double       JxW(unsigned int q) const { return values->JxW(q); }
  /// Returns quadrature point q. Throws RunError unless the form was made with update_quadrature_points.
  const dealii::Point<dim> &quadrature_point(unsigned int q) const
  {
    if ((values->get_update_flags() & dealii::update_quadrature_points) == 0)
      throw RunError("a form's kernel reads quadrature points, but its update flags lack update_quadrature_points");
    return values->quadrature_point(q);
  }
  /// Returns the quadrature points moved by some vector, which differs between the cells of a shape.
  std::vector<dealii::Point<dim>> quadrature_points_of_shape() const
  {
    std::vector<dealii::Point<dim>> points;
    for (const auto &point : values->get_quadrature().get_points())
      points.push_back(values->get_mapping().transform_unit_to_real_cell(values->get_cell(), point));
    return points;
  }

  const CellFunctions<dim> &rows() const { return *this; }       ///< also members of this object
  const CellFunctions<dim> &columns() const { return columns_; } ///< none where the columns are quadrature points

private:
  template <int>
  friend class LevelForm;
  using CellFunctions<dim>::values;
  using CellFunctions<dim>::space;
  using CellFunctions<dim>::number;
  CellContext() = default;

  CellFunctions<dim> columns_;
  std::size_t        level_ = 0;
};
} // namespace adamant
