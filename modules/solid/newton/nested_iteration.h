#pragma once

#include "frame/device_field.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"
#include "solvers/newton.h"

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

/// A state to begin with, and how Newton's method has gone on the coarser level meshes.
struct NestedGuess
{
  struct Level
  {
    int          n_unknowns;
    bool         converged;
    NewtonResult newton; ///< empty unless it has converged
  };
  Vector<double>     state;
  std::vector<Level> coarser; ///< from the coarsest on
};

/// Returns a guess of equilibrium for `finest`. On each coarser level mesh Newton's method begins at the interpolated
/// result of the next coarser one, or at rest where cells would be inverted. Where it fails, the next finer level
/// begins with what came from the coarser one. On one rank only.
template <int dim>
NestedGuess guess_by_nested_iteration(const Device &device, const NestedProblem<dim> &problem,
                                      const DeviceField<dim> &field, FiniteDeformation<dim> &finest,
                                      const LinearSolverParameters &linear, const EquilibriumOptions &options);
} // namespace adamant
