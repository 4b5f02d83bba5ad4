#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <numeric>
#include <vector>

namespace adamant
{
/// Calls action(cell number, FEValues) on these cells, threaded; each cell is visited once, by one thread. `action` must
/// not throw.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const std::vector<int> &cells, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
#pragma omp parallel
  {
    dealii::FEValues<dim> fe_values(mapping, space.dof_handler().get_fe(), quadrature, flags);
#pragma omp for schedule(static)
    for (std::size_t k = 0; k < cells.size(); ++k)
      {
        fe_values.reinit(space.active_cells()[cells[k]]);
        action(cells[k], fe_values);
      }
  }
}

/// The same on all cells.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
  std::vector<int> cells(space.n_cells());
  std::iota(cells.begin(), cells.end(), 0);
  for_each_cell(space, cells, mapping, quadrature, flags, action);
}
} // namespace adamant
