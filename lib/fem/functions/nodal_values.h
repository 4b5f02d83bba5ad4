#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// Returns the component of the element to which each local DoF belongs.
template <int dim>
Array<unsigned int> components(const LevelSpace<dim> &space);

/// Returns the values of `function` at the nodes of the given owned `dofs`, in host memory. Components first, first +
/// 1, ... of the space take components 0, 1, ... of the function; other components get 0.
template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, const Array<int> &dofs, unsigned int first = 0);

/// Returns the values of `function` at the nodes of all owned DoFs.
template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, unsigned int first = 0);

/// Returns the translations and the infinitesimal rotations in the space's first dim components, at the owned DoFs.
/// They have no elastic energy, and algebraic multigrid needs them.
template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping);
} // namespace adamant
