#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// The component of the element that each local DoF belongs to.
template <int dim>
Array<unsigned int> components(const LevelSpace<dim> &space);

/// The values of a function at the nodes of the given owned DoFs, host memory: those of components first, first + 1,
/// ... of the space have components 0, 1, ... of the function, those of others 0.
template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, const Array<int> &dofs, unsigned int first = 0);

/// The same for all owned DoFs.
template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, unsigned int first = 0);

/// The translations and the infinitesimal rotations of space in its first dim components, at the owned DoFs: what
/// linear elasticity cannot see, and algebraic multigrid wants to know.
template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping);
} // namespace adamant
