#include "discretization/points.h"

#include "discretization/cell_loop.h"

namespace adamant
{
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs)
{
  // A DoF on several cells is written by one of them only: the first in the order of cells.
  Array<int> position(space.n_dofs(), -1), owner(dofs.size(), -1);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    position[dofs[k]] = static_cast<int>(k);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      if (const int k = position[space.cell_dofs(cell)[i]]; k >= 0 && owner[k] < 0)
        owner[k] = cell;

  const std::size_t n = dofs.size();
  Array<double>     points(dim * n);
  for_each_cell(space,
                mapping,
                dealii::Quadrature<dim>(space.dof_handler().get_fe().get_unit_support_points()),
                dealii::update_quadrature_points,
                [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (int i = 0; i < space.dofs_per_cell(); ++i)
                    if (const int k = position[space.cell_dofs(cell)[i]]; k >= 0 && owner[k] == cell)
                      for (int d = 0; d < dim; ++d)
                        points[d * n + k] = fe_values.quadrature_point(i)[d];
                });
  return points;
}

template <int dim>
Array<double>
quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
{
  const std::size_t n_q = quadrature.size(), n = n_q * space.n_cells();
  Array<double>     points(dim * n);
  for_each_cell(space, mapping, quadrature, dealii::update_quadrature_points, [&](int cell, const dealii::FEValues<dim> &fe_values) {
    for (std::size_t q = 0; q < n_q; ++q)
      for (int d = 0; d < dim; ++d)
        points[d * n + cell * n_q + q] = fe_values.quadrature_point(static_cast<unsigned int>(q))[d];
  });
  return points;
}

template Array<double> support_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const Array<int> &);
template Array<double> support_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const Array<int> &);
template Array<double> quadrature_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Quadrature<2> &);
template Array<double> quadrature_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Quadrature<3> &);
} // namespace adamant
