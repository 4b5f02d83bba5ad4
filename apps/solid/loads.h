#pragma once

#include "parameters.h"

#include "coefficients/values_at_points.h"
#include "fem/spaces/level_space.h"
#include "solid/motion/prescribed_motion.h"
#include "solid/newton/nested_iteration.h"

#include <deal.II/fe/mapping.h>

#include <algorithm>
#include <functional>
#include <vector>

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

/// Returns the pressures at time t for each boundary under pressure; at rest there are none.
inline std::vector<double> pressures(const Parameters &parameters, double t,
                                     const std::function<double(double)> &load_factor)
{
  const auto &of = parameters.problem.follower_pressure;
  return t > 0. || !parameters.time.stationary ? of.at(t, load_factor(t)) :
                                                 std::vector<double>(of.boundaries().size(), 0.);
}

/// Throws InputError on all ranks for what does not fit the mesh.
template <int dim>
void check_on_mesh(const Parameters &parameters, const DeviceField<dim> &unknown, const dealii::Mapping<dim> &mapping)
{
  const auto &field = unknown.field();
  parameters.problem.check_materials(unknown.space());
  parameters.problem.boundaries.check_supports(field, mapping, extent(unknown.space().triangulation()),
                                               Springs<dim>(field, mapping, {}, false), parameters.time.stationary,
                                               false);
  require(!parameters.newton.nested || unknown.space().communicator().size() == 1,
          "Newton/Nested = true needs one rank");
}

/// Throws InputError on all ranks where a load or a displacement is no number at a time when a load is yet to act. Of
/// many times it takes a part.
template <int dim>
void check_loads(const Parameters &parameters, double begin, const PrescribedMotion<dim> &boundary)
{
  parameters.check_loads(begin);
  if (!boundary.moves())
    (void)boundary.at(begin);
  else
    parameters.time.for_times_of_loads(
      begin, [&boundary](double t) { (void)boundary.at(t); }, std::max(10., 1e6 / std::max(1., boundary.n_nodes())));
}

/// Returns a guess for a load step from rest to time t.
template <int dim>
NestedGuess nested_guess(const Parameters &parameters, const OfEntries<SolidEnergy> &energies, const Device &device,
                         const DeviceField<dim> &unknown, const dealii::Mapping<dim> &mapping,
                         const PrescribedMotion<dim> &boundary, FiniteDeformation<dim> &deformation, double t,
                         bool symmetric)
{
  const double factor              = parameters.problem.load_factor_of_time()(t);
  const auto  &pressure            = parameters.problem.follower_pressure;
  const auto   lengths             = extent(unknown.space().triangulation());
  auto         held                = parameters.problem.boundaries.prescribed(unknown.field().element(), lengths);
  held.mapping_degree              = parameters.discretization.degree;
  const NestedProblem<dim> problem = {
    [&](const auto &space) { return transposed_product(space.owned_H(), dead_load(parameters, space, mapping)); },
    [&, t](const auto &space) { return boundary.on(space, t); },
    energies,
    mapping,
    held,
    factor,
    pressure.boundaries(),
    pressure.at(t, factor),
    symmetric};
  return guess_by_nested_iteration(
    device, problem, unknown, deformation, parameters.linear_solver,
    parameters.newton.options(energies, lengths, parameters.linear_solver.options("").precision));
}
} // namespace solid
