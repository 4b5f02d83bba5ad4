#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// For each of the `cells` of a space one of them, itself or an earlier one, that is a translation of it, to the rounding
/// of the vertices' coordinates, and has its material id: they share shape functions, JxW and gradients, so that equal
/// cells have equal matrices, to the bit. On uniform meshes one cell serves all, on refined ones a cell of each size.
/// Curved cells, and those whose data depend on the position (update_quadrature_points), stand for themselves.
template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const Array<int> &cells,
                               const dealii::Mapping<dim> &mapping, dealii::UpdateFlags flags);

/// The same for all cells of a space, which remembers it.
template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                               dealii::UpdateFlags flags);
} // namespace adamant
