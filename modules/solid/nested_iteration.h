#pragma once

#include "frame/device_field.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"

#include <deal.II/fe/mapping.h>

#include <functional>
#include <string>
#include <vector>

namespace adamant
{
/// A problem of equilibrium on all level meshes.
template <int dim>
struct NestedProblem
{
  std::function<Array<double>(const LevelSpace<dim> &)> load;       ///< on the rows of unknowns
  std::function<Array<double>(const LevelSpace<dim> &)> prescribed; ///< displacements
  const OfEntries<SolidEnergy>                         &energies;
  const dealii::Mapping<dim>                           &mapping;
  DirichletBoundary                                     dirichlet;
  double                                                factor; ///< of the load
  std::vector<unsigned int>                             pressed;
  std::vector<double>                                   pressures;
  bool                                                  symmetric; ///< the tangent
};

/// Sets `state`, that of `finest`, to a guess of equilibrium. On each coarser level mesh Newton's method begins at the
/// interpolated result of the next coarser one, or at rest where cells would be inverted. Where it fails, the next
/// finer level begins with what came from the coarser one. On one rank only.
template <int dim>
void guess_by_nested_iteration(const Device &device, const NestedProblem<dim> &problem, const DeviceField<dim> &field,
                               FiniteDeformation<dim> &finest, const LinearSolverParameters &linear,
                               const EquilibriumOptions &options, Vector<double> &state);
} // namespace adamant
