#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functionals.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <array>

namespace adamant
{
/// Numbers that are computed on the host from a flow with velocity and pressure in one field. Its nodes have dim + 1
/// unknowns (u, p), and `nodal` has the values of all of them, in host memory, on one rank.

/// Calls action(cell number, FEFaceValues, point) for the points of a Gauss rule on the faces of this boundary, n in
/// each direction.
template <int dim, typename Action>
void for_each_boundary_point(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             dealii::types::boundary_id id, unsigned int n, const Action &action)
{
  dealii::FEFaceValues<dim> face_values(mapping, space.element(), dealii::QGauss<dim - 1>(n),
                                        dealii::update_values | dealii::update_quadrature_points |
                                          dealii::update_normal_vectors | dealii::update_JxW_values);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (const unsigned int face : space.active_cells()[cell]->face_indices())
      if (const auto on = space.active_cells()[cell]->face(face); on->at_boundary() && on->boundary_id() == id)
        {
          face_values.reinit(space.active_cells()[cell], face);
          for (const unsigned int q : face_values.quadrature_point_indices())
            action(cell, face_values, q);
        }
}

/// Returns (u, p) at quadrature point q of a cell.
template <int dim>
std::array<double, dim + 1> value_at(const LevelSpace<dim> &space, const Array<double> &nodal, int cell,
                                     const dealii::FEValuesBase<dim> &at, unsigned int q)
{
  std::array<double, dim + 1> value{};
  for (const unsigned int i : at.dof_indices())
    value[at.get_fe().system_to_component_index(i).first] += nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q);
  return value;
}

/// Returns ∫ u·n and ∫ |u| over a boundary, for a function u.
template <int dim>
BoundaryFlux flux_of(const dealii::Function<dim> &u, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id);

/// Returns ∫ u·n over a boundary for nodal values; `scale` is at least ∫ |u|.
template <int dim>
BoundaryFlux flux_of(const Array<double> &nodal, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id);

/// The integrals ½ ∫ |u|², ∫ p and the volume.
struct FlowIntegrals
{
  double energy = 0., pressure = 0., volume = 0.;
};
template <int dim>
FlowIntegrals flow_integrals(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             const Array<double> &nodal);

/// Returns the largest |u| h of a cell, h its longest edge: over ν it is a Reynolds number.
template <int dim>
double largest_cell_speed(const LevelSpace<dim> &space, const Array<double> &nodal);

/// Returns component c of the nodal values, on the scalar space of these nodes.
template <int dim>
Array<double> component_of(const LevelSpace<dim> &space, const LevelSpace<dim> &scalar, const double *nodal, int c);
} // namespace adamant
