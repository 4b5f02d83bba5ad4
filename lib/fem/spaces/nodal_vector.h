#pragma once

#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/la_parallel_vector.h>

namespace adamant
{
/// deal.II's vector of nodal values. It includes values of other ranks, on this rank's cells and their neighbours.
using NodalVector = dealii::LinearAlgebra::distributed::Vector<double>;

/// Returns the nodal interpolation of a function, continuous at hanging nodes.
template <int dim>
NodalVector interpolate(const dealii::Mapping<dim> &mapping, const dealii::DoFHandler<dim> &dofs,
                        const dealii::Function<dim> &function);

/// Returns nodal values that are all zero.
template <int dim>
NodalVector nodal_vector(const dealii::DoFHandler<dim> &dofs);
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space);

/// Returns the nodal values of a space, for deal.II's functions. `owned` has the values at the owned DoFs, in host
/// memory. All ranks call it together.
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space, const double *owned);
} // namespace adamant
