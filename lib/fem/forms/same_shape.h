#pragma once

#include "fem/spaces/level_space.h"

#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/mapping.h>

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
} // namespace adamant
