#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <map>

namespace adamant
{
/// The load F_i = ∫ f . φ_i + ∫_Γ g . φ_i over the owned DoFs of the space, host memory; hanging nodes are not
/// eliminated. f and g have as many components as the space or fewer, the space's first ones; g is given by boundary
/// id. `f` and `g` are evaluated by several threads at once.
template <int dim>
Array<double> load_vector(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, const dealii::Quadrature<dim - 1> &face_quadrature,
                          const dealii::Function<dim>                                               &f,
                          const std::map<dealii::types::boundary_id, const dealii::Function<dim> *> &g);
} // namespace adamant
