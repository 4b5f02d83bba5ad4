#pragma once

#include "parameters.h"

#include "coefficients/values_at_points.h"
#include "fem/spaces/level_space.h"
#include "solid/motion/prescribed_motion.h"
#include "solid/newton/nested_iteration.h"

#include <deal.II/fe/mapping.h>

namespace solid
{
/// Returns the dead load at load factor 1, on all DoFs of a level.
template <int dim>
Array<double> dead_load(const Parameters &parameters, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  auto F = parameters.problem.boundaries.load(space, mapping, parameters.problem.body_force, false);
  require_numbers(space.communicator(), "Problem/Body force or Traction", F);
  return F;
}

/// Returns a guess for a load step from rest to time t.
template <int dim>
NestedGuess nested_guess(const Parameters &parameters, const OfEntries<SolidEnergy> &energies, const Device &device,
                         const DeviceField<dim> &unknown, const dealii::Mapping<dim> &mapping,
                         const PrescribedMotion<dim> &boundary, FiniteDeformation<dim> &deformation, double t,
                         bool symmetric)
{
  const double             factor   = parameters.problem.load_factor_of_time()(t);
  const auto              &pressure = parameters.problem.follower_pressure;
  const auto               lengths  = extent(unknown.space().triangulation());
  const NestedProblem<dim> problem  = {
     [&](const auto &space) { return transposed_product(space.owned_H(), dead_load(parameters, space, mapping)); },
     [&, t](const auto &space) { return boundary.on(space, t); },
     energies,
     mapping,
     parameters.problem.boundaries.prescribed(unknown.field().element(), lengths),
     factor,
     pressure.boundaries(),
     pressure.at(t, factor),
     symmetric};
  return guess_by_nested_iteration(device, problem, unknown, deformation, parameters.linear_solver,
                                   parameters.newton.options(energies, lengths));
}
} // namespace solid
