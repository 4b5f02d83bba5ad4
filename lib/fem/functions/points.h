#pragma once

#include "base/array.h"
#include "fem/forms/cell_loop.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <functional>
#include <string>
#include <vector>

namespace adamant
{
/// Returns the support points of the given DoFs in host memory. Here and in the next two functions coordinate d of
/// point i of n is points[d * n + i].
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs);

/// Returns the support points of all DoFs that the rank owns.
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  return support_points(space, mapping, numbers_below(space.n_owned()));
}

/// Returns the quadrature points of all cells. Point q of cell c has number c * n_q + q, as in
/// Columns::quadrature_points.
template <int dim>
Array<double> quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim> &quadrature);

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
                           const dealii::Function<dim> &function, unsigned int first = 0)
{
  return nodal_values(space, mapping, function, numbers_below(space.n_owned()), first);
}

/// Returns the translations and the infinitesimal rotations in the space's first dim components, at the owned DoFs.
/// They have no elastic energy, and algebraic multigrid needs them.
template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping);
} // namespace adamant
