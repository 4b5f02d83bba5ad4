#pragma once

#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// Returns ‖u - exact‖ in L², as deal.II's VectorTools::integrate_difference does, but on all threads. The result does
/// not depend on the number of threads. `u` has the nodal values of the owned DoFs, in host memory. `exact` has the
/// space's first components, all or fewer, and several threads call it at once. All ranks call it together.
template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *u, const dealii::Function<dim> &exact);
} // namespace adamant
