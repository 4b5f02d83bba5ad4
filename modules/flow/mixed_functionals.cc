#include "flow/mixed_functionals.h"

#include "fem/forms/integrals.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/tensor.h>

#include <algorithm>
#include <cmath>

namespace adamant
{
template <int dim>
BoundaryFlux flux_of(const dealii::Function<dim> &function, const LevelSpace<dim> &space,
                     const dealii::Mapping<dim> &mapping, dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 8, [&](int, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    dealii::Tensor<1, dim> u;
    for (int c = 0; c < dim; ++c)
      u[c] = function.value(at.quadrature_point(q), c);
    flux.net += u * at.normal_vector(q) * at.JxW(q);
    flux.scale += u.norm() * at.JxW(q);
  });
  return flux;
}

template <int dim>
BoundaryFlux flux_of(const Array<double> &nodal, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 2, [&](int cell, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    for (const unsigned int i : at.dof_indices())
      if (const unsigned int c = at.get_fe().system_to_component_index(i).first; c < dim)
        {
          const double part = nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q) * at.JxW(q);
          flux.net += part * at.normal_vector(q)[c];
          flux.scale += std::abs(part);
        }
  });
  return flux;
}

template <int dim>
FlowIntegrals flow_integrals(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             const Array<double> &nodal)
{
  const auto [energy, pressure, volume] =
    integrate<3>(space, mapping, dealii::QGauss<dim>(2), dealii::update_values | dealii::update_JxW_values,
                 [&](int cell, const dealii::FEValues<dim> &at, double *sums) {
                   for (const unsigned int q : at.quadrature_point_indices())
                     {
                       const auto value = value_at(space, nodal, cell, at, q);
                       for (int c = 0; c < dim; ++c)
                         sums[0] += 0.5 * value[c] * value[c] * at.JxW(q);
                       sums[1] += value[dim] * at.JxW(q);
                       sums[2] += at.JxW(q);
                     }
                 });
  return {energy, pressure, volume};
}

template <int dim>
double largest_cell_speed(const LevelSpace<dim> &space, const Array<double> &nodal)
{
  const auto &fe      = space.element();
  double      largest = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      double edge = 0.;
      for (const unsigned int line : space.active_cells()[cell]->line_indices())
        edge = std::max(edge, space.active_cells()[cell]->line(line)->diameter());
      for (unsigned int a = 0; a < dealii::GeometryInfo<dim>::vertices_per_cell; ++a)
        {
          double square = 0.;
          for (int c = 0; c < dim; ++c)
            square += std::pow(nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]], 2);
          largest = std::max(largest, edge * std::sqrt(square));
        }
    }
  return largest;
}

template <int dim>
Array<double> component_of(const LevelSpace<dim> &space, const LevelSpace<dim> &scalar, const double *nodal, int c)
{
  const auto   &fe = space.element();
  Array<double> values(scalar.n_dofs());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < scalar.dofs_per_cell(); ++a)
      values[scalar.cell_dofs(cell)[a]] = nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]];
  return values;
}

#define INSTANTIATE(dim)                                                                                               \
  template BoundaryFlux  flux_of(const dealii::Function<dim> &, const LevelSpace<dim> &, const dealii::Mapping<dim> &, \
                                 dealii::types::boundary_id);                                                          \
  template BoundaryFlux  flux_of(const Array<double> &, const LevelSpace<dim> &, const dealii::Mapping<dim> &,         \
                                 dealii::types::boundary_id);                                                          \
  template FlowIntegrals flow_integrals(const LevelSpace<dim> &, const dealii::Mapping<dim> &, const Array<double> &); \
  template double        largest_cell_speed(const LevelSpace<dim> &, const Array<double> &);                           \
  template Array<double> component_of(const LevelSpace<dim> &, const LevelSpace<dim> &, const double *, int);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
