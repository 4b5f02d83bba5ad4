#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "fem/spaces/field.h"
#include "frame/restart/state.h"
#include "heat/heat_parameters.h"
#include "multigrid/linear_solver.h"
#include "solvers/extrapolation.h"

#include <deal.II/fe/mapping.h>

#include <functional>
#include <memory>

namespace adamant
{
/// The diffusion of a bilinear temperature T as the implicit part of its steps, whose other terms are explicit. With
/// lumped masses m, a step of length dt takes backward Euler's change d = T_new - T of the free nodes from
///
///   (m/dt + κ K) d = f - κ K T - κ K g,
///
/// where f are the explicit terms, and g is the change of the prescribed values. So the steady state is that of
/// explicit diffusion, whatever the tolerance of the solver is. The matrix of all levels stays as long as dt does.
/// All ranks call all functions together.
template <int dim>
class ImplicitDiffusion
{
public:
  /// `mass` has the lumped masses of this rank's nodes of a bilinear scalar space on the finest mesh, in host memory.
  /// All references have to outlive the object. Throws InputError where the mesh lacks a boundary that `parameters`
  /// have.
  ImplicitDiffusion(const Device &device, const LevelMeshes<dim> &meshes, const dealii::Mapping<dim> &mapping,
                    const Array<double> &mass, const SplitHeatParameters &parameters);

  /// Makes the solver for steps of length dt, unless there is one.
  void prepare(double dt);
  /// Computes y = κ K x for nodal values x, which it may make continuous at hanging nodes; y has all free nodes' rows.
  using Product = std::function<void(Vector<double> &x, Vector<double> &y)>;

  /// Launches a step of length dt, whose result throws SolverError. `T_new` comes with the prescribed values and, at
  /// free nodes, with the explicit step T + dt (f - κ K T) / m. There it gets the step of implicit diffusion.
  PendingResult advance(double dt, const Vector<double> &T, const Product &diffuse, Vector<double> &T_new);
  /// Computes y += κ K (T_new - T).
  void add_change(const Vector<double> &T, const Vector<double> &T_new, const Product &diffuse, Vector<double> &y);

  void serialize(State &state); ///< saves or loads the changes of earlier steps, from which the solver's guess comes

private:
  Device                        device;
  const dealii::Mapping<dim>   &mapping;
  const SplitHeatParameters    &parameters;
  Field<dim>                    field;
  Array<double>                 mass;         // of free nodes, else 0
  Vector<double>                inverse_mass; // and its inverse
  Vector<double>                b, d;         // between steps for other values, too
  Extrapolation                 guess;
  std::unique_ptr<LinearSolver> solver;
  double                        step = 0.; // for which the solver is
};
} // namespace adamant
