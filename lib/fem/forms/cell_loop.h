#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <numeric>

namespace adamant
{
/// Returns for each of the `cells` of a space one of them, itself or an earlier one, that has its material id and of
/// which it is a translation. A cell is compared, up to rounding of coordinates, with the 16 shapes found last. Both
/// share shape functions, JxW and gradients, so equal cells have equal matrices, to the bit. Uniform meshes have one
/// shape, refined ones one for each size of cells. Each cell stands for itself with other mappings than MappingQ of
/// degree 1 and with update_quadrature_points.
template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const Array<int> &cells,
                               const dealii::Mapping<dim> &mapping, dealii::UpdateFlags flags);

/// Returns cells_of_same_shape() for all cells of a space, which remembers the result.
template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                               dealii::UpdateFlags flags);

/// Calls action(cell number, FEValues) once for each of the `cells`, on all threads. `action` must not throw. The
/// FEValues may belong to another cell of the same shape, unless `flags` contain update_quadrature_points.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const Array<int> &cells, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
  const bool       all = static_cast<int>(cells.size()) == space.n_cells();
  const Array<int> shapes =
    all ? cells_of_same_shape(space, mapping, flags) : cells_of_same_shape(space, cells, mapping, flags);
#pragma omp parallel
  {
    dealii::FEValues<dim> fe_values(mapping, space.element(), quadrature, flags);
    int                   shape = -1;
#pragma omp for schedule(static)
    for (std::size_t k = 0; k < cells.size(); ++k)
      {
        if (shape != shapes[k])
          fe_values.reinit(space.active_cells()[shape = shapes[k]]);
        action(cells[k], fe_values);
      }
  }
}

/// Calls action(cell number, FEValues) once for each cell of the space, on all threads; see above.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
  Array<int> cells(space.n_cells());
  std::iota(cells.begin(), cells.end(), 0);
  for_each_cell(space, cells, mapping, quadrature, flags, action);
}
} // namespace adamant
