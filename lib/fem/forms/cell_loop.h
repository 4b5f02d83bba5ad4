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
/// Returns 0, ..., n - 1.
inline Array<int> numbers_below(int n)
{
  Array<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Returns for each of the `cells` of a space one of them, itself or an earlier one, of which it is a translation. With
/// `same_material` both have one material id. A cell is compared, up to rounding of coordinates, with the 16 shapes
/// found last. Both share shape functions, JxW and gradients, so equal cells have equal matrices, to the bit. Uniform
/// meshes have one shape, refined ones one for each size of cells. Each cell stands for itself with other mappings than
/// MappingQ of degree 1 and with update_quadrature_points. Cells are listed once and ascend.
template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const Array<int> &cells,
                               const dealii::Mapping<dim> &mapping, dealii::UpdateFlags flags,
                               bool same_material = true);

/// The shapes of some cells: the place of the first cell of each shape, and the number of each cell's shape.
struct CellShapes
{
  Array<int> first, number; ///< number: by cells of the space, -1 for others than these cells
};

/// Numbers the shapes of `cells`, where `representative` is what cells_of_same_shape has returned for them.
template <int dim>
CellShapes shapes_of(const LevelSpace<dim> &space, const Array<int> &cells, const Array<int> &representative);

/// Calls action(cell number, FEValues) once for each of the `cells`, on all threads. `action` must not throw. The
/// FEValues may belong to another cell of the same shape, unless `flags` contain update_quadrature_points.
template <int dim, typename Action>
void for_each_cell(const LevelSpace<dim> &space, const Array<int> &cells, const dealii::Mapping<dim> &mapping,
                   const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Action &action)
{
  const Array<int> shapes = cells_of_same_shape(space, cells, mapping, flags);
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
  for_each_cell(space, numbers_below(space.n_cells()), mapping, quadrature, flags, action);
}
} // namespace adamant
