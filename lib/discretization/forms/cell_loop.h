#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// Calls action(cell number, FEValues) on every cell, threaded; each cell is visited once, by one thread. `action` must
/// not throw.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
#pragma omp parallel
  {
    dealii::FEValues<dim> fe_values(mapping, space.dof_handler().get_fe(), quadrature, flags);
#pragma omp for schedule(static)
    for (int cell = 0; cell < space.n_cells(); ++cell)
      {
        fe_values.reinit(space.active_cells()[cell]);
        action(cell, fe_values);
      }
  }
}
} // namespace adamant
