#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

namespace adamant
{
/// Kelly's estimate of the error on each active cell of the mesh, from the jumps of the gradients of u, nodal values of
/// the owned DoFs in host memory. All ranks call it together.
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *u);
} // namespace adamant
