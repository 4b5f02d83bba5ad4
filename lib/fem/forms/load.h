#pragma once

#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <map>

namespace adamant
{
/// Returns the load F_i = ∫ f . φ_i + ∫_Γ g . φ_i for the owned DoFs of the space, in host memory. Hanging nodes are
/// not eliminated. f and g have the first components of the space, all or fewer; g is given by boundary id. Several
/// threads evaluate f and g at once. All ranks call it together.
template <int dim>
Array<double> load_vector(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, const dealii::Quadrature<dim - 1> &face_quadrature,
                          const dealii::Function<dim>                                               &f,
                          const std::map<dealii::types::boundary_id, const dealii::Function<dim> *> &g);
} // namespace adamant
