#pragma once

#include "parameters.h"

#include "expressions/values_at_points.h"
#include "fem/spaces/level_space.h"
#include "solid/motion/prescribed_motion.h"
#include "solid/nested_iteration.h"

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

/// Returns the problem of a load step from rest to time t, on all levels.
template <int dim>
NestedProblem<dim> nested_problem(const Parameters &parameters, const OfEntries<SolidEnergy> &energies,
                                  const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                                  const PrescribedMotion<dim> &boundary, double t, bool symmetric)
{
  const double factor   = parameters.problem.load_factor_of_time()(t);
  const auto  &pressure = parameters.problem.follower_pressure;
  return {[&](const auto &space) { return transposed_product(space.owned_H(), dead_load(parameters, space, mapping)); },
          [&, t](const auto &space) { return boundary.on(space, t); },
          energies,
          mapping,
          parameters.problem.boundaries.prescribed(field.element(), extent(field.finest().triangulation())),
          factor,
          pressure.boundaries(),
          pressure.at(t, factor),
          symmetric};
}
} // namespace solid
