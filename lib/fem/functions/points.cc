#include "fem/functions/points.h"

#include "base/parallel_for.h"
#include "base/row_ranges.h"

namespace adamant
{
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs)
{
  // A DoF on several cells is written by one of them only: the first in the order of cells.
  const int   per_cell = space.dofs_per_cell();
  const auto  places   = first_places(space.cell_dofs(0), space.n_cells() * per_cell, space.n_dofs());
  Array<int>  position(space.n_dofs(), -1);
  Array<char> owns(space.n_cells(), 0);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      position[dofs[k]]                = static_cast<int>(k);
      owns[places[dofs[k]] / per_cell] = 1;
    }
  Array<int> owners;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    if (owns[cell] != 0)
      owners.push_back(cell);

  const std::size_t n = dofs.size();
  Array<double>     points(dim * n);
  for_each_cell(space, owners, mapping, dealii::Quadrature<dim>(space.element().get_unit_support_points()),
                dealii::update_quadrature_points, [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (int i = 0; i < per_cell; ++i)
                    if (const int dof = space.cell_dofs(cell)[i], k = position[dof];
                        k >= 0 && places[dof] == cell * per_cell + i)
                      for (int d = 0; d < dim; ++d)
                        points[d * n + k] = fe_values.quadrature_point(i)[d];
                });
  return points;
}

template <int dim>
Array<double> quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim> &quadrature)
{
  const std::size_t n_q = quadrature.size(), n = n_q * space.n_cells();
  Array<double>     points(dim * n);
  for_each_cell(space, mapping, quadrature, dealii::update_quadrature_points,
                [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (std::size_t q = 0; q < n_q; ++q)
                    for (int d = 0; d < dim; ++d)
                      points[d * n + cell * n_q + q] = fe_values.quadrature_point(static_cast<unsigned int>(q))[d];
                });
  return points;
}

template <int dim>
Array<unsigned int> components(const LevelSpace<dim> &space)
{
  Array<unsigned int> component(space.n_dofs(), 0);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      write_atomically(component[space.cell_dofs(cell)[i]], space.element().system_to_component_index(i).first);
  return component;
}

template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, const Array<int> &dofs, unsigned int first)
{
  const auto    points    = support_points(space, mapping, dofs);
  const auto    component = components(space);
  Array<double> values(dofs.size());
  parallel_for(dofs.size(), [&](std::size_t k) {
    dealii::Point<dim> point;
    for (int d = 0; d < dim; ++d)
      point[d] = points[d * dofs.size() + k];
    const unsigned int c = component[dofs[k]];
    values[k]            = c >= first && c < first + function.n_components ? function.value(point, c - first) : 0.;
  });
  return values;
}

template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const auto                 points    = support_points(space, mapping);
  const auto                 component = components(space);
  const int                  n         = space.n_owned();
  std::vector<Array<double>> modes;
  for (unsigned int d = 0; d < dim; ++d)
    {
      auto &mode = modes.emplace_back();
      for (int i = 0; i < n; ++i)
        mode.push_back(component[i] == d ? 1. : 0.);
    }
  for (unsigned int d = 0; d < (dim == 3 ? 3 : 1); ++d) // from axis d to the next one
    {
      auto         &mode = modes.emplace_back();
      const double *x = points.data() + std::size_t(d) * n, *y = points.data() + std::size_t((d + 1) % dim) * n;
      for (int i = 0; i < n; ++i)
        mode.push_back(component[i] == d ? -y[i] : component[i] == (d + 1) % dim ? x[i] : 0.);
    }
  return modes;
}

template decltype(quadrature_points<2>) quadrature_points<2>;
template decltype(quadrature_points<3>) quadrature_points<3>;
template decltype(components<2>)        components<2>;
template decltype(components<3>)        components<3>;
template decltype(rigid_body_modes<2>)  rigid_body_modes<2>;
template decltype(rigid_body_modes<3>)  rigid_body_modes<3>;
template Array<double> support_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const Array<int> &);
template Array<double> support_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const Array<int> &);
template Array<double> nodal_values(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Function<2> &,
                                    const Array<int> &, unsigned int);
template Array<double> nodal_values(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Function<3> &,
                                    const Array<int> &, unsigned int);
} // namespace adamant
