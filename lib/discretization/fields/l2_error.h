#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// ‖u - exact‖ in L², u the nodal values of the owned DoFs, host memory: what deal.II's
/// VectorTools::integrate_difference gives, threaded; the same for any number of threads. `exact` has as many
/// components as the space or fewer, the space's first ones; it is called from several threads at once.
template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *u, const dealii::Function<dim> &exact);
} // namespace adamant
