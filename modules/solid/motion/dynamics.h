#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "frame/device_field.h"
#include "frame/restart/state.h"
#include "multigrid/linear_solver.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"
#include "solid/motion/prescribed_motion.h"

#include <functional>
#include <string>

namespace adamant
{
/// A time step of M a + r(u) = f from u0, v0, a0 to u, v, a:
/// ```
///   M ((1 - α_m) a + α_m a0) + r((1 - α_f) u + α_f u0) = f at the time t - α_f Δt
///   u = u0 + Δt v0 + Δt² ((1/2 - β) a0 + β a),   v = v0 + Δt ((1 - γ) a0 + γ a)
/// ```
struct TimeScheme
{
  double alpha_m = 0., alpha_f = 0., beta = 0.25, gamma = 0.5;
  bool   conserving = false; ///< whether r has the stresses that conserve energy, see ConservingPoint

  static TimeScheme newmark() { return {}; }
  /// Chung & Hulbert 1993, by the spectral radius at high frequencies.
  static TimeScheme generalized_alpha(double radius)
  {
    TimeScheme scheme;
    scheme.alpha_m = (2. * radius - 1.) / (radius + 1.);
    scheme.alpha_f = radius / (radius + 1.);
    scheme.gamma   = 0.5 - scheme.alpha_m + scheme.alpha_f;
    scheme.beta    = 0.25 * (0.5 + scheme.gamma) * (0.5 + scheme.gamma);
    return scheme;
  }
  /// The midpoint rule.
  static TimeScheme energy_momentum() { return {0.5, 0.5, 0.25, 0.5, true}; }
};

/// Where a motion begins: expressions of x, y, z.
struct InitialMotion
{
  std::string displacement = "0; 0; 0", velocity = "0; 0; 0";
};

/// The motion of a body: the state at the end of the last time step, with its velocity and acceleration. A step looks
/// for the state w in the balance of forces, between the two ends. There the inertia is c M (w - center). So w is the
/// equilibrium of a body that such forces tie to a place.
/// ```
///   c = (1 - α_m) / ((1 - α_f) β Δt²),   center = α_f u0 + (1 - α_f) (u0 + Δt v0 + Δt² (1/2 - β) a0) - α_m a0 / c
/// ```
///
/// θ and p of projected dilatations belong to w, too, and to the ends as u does. All ranks call all functions together.
template <int dim>
class Dynamics
{
public:
  /// `deformation`, which has densities, `field`, its unknown, and `boundary`, the motion at prescribed nodes, have to
  /// outlive the object. `work` is a load whose work counts; `time_step` is the usual length of a step.
  Dynamics(const Device &device, FiniteDeformation<dim> &deformation, const DeviceField<dim> &field,
           const PrescribedMotion<dim> &boundary, const Vector<double> &work, const TimeScheme &scheme,
           double time_step);

  /// @name Nodal values at the end of the last step
  /// `state` has θ - 1 and p beside u.
  /// @{
  Vector<double> &state() { return state_; }
  Vector<double> &v() { return velocity; }
  /// @}

  /// Gives the deformation the inertia of a usual step, for the first tangent of its solver.
  void prepare_tangent() { deformation.set_motion(inertia(usual), displacement, former()); }
  /// Begins a motion at t = 0; boundaries are where they are prescribed. The acceleration balances forces: M a
  /// = factor load - r(u). θ and p are made from u. `solver` returns the solver of the tangent, with its present
  /// values. Then the tangent is the mass. Returns notes on initial values that boundaries contradict.
  std::string set_initial_values(const InitialMotion &initial, double factor, const Vector<double> &load,
                                 const std::function<LinearSolver &()> &solver);

  /// Prepares the deformation for the balance of a step between these times, and sets w to a guess, on the way of v. It
  /// turns prescribed values at `end` into values in the balance, and returns the time of it.
  double begin(double start, double end, Vector<double> &g, Vector<double> &w);
  /// Ends the step by the state w in the balance, where `factor` multiplied the load, and evaluates it. It takes
  /// the pressures at the end. Throws SolverError where cells are inverted there; the state has then not changed.
  void end(const Vector<double> &w, double factor);
  /// Evaluates the deformation at the end of the last step: its results and its forces, inertia included.
  void evaluate() { evaluate(state_, acceleration); }

  MotionResults results() { return deformation.motion(displacement, velocity); } ///< see FiniteDeformation::motion
  double        work_of_load() const { return done; }                            ///< since t = 0
  /// Saves or loads the motion at time t. Another mesh takes u, v and a at its nodes; restore_volumes() has to follow.
  void serialize(State &archive, double t);
  /// Gives cells of projected dilatations the volumes, and their rates, that serialize() has carried to this mesh.
  /// Interpolated u and v have others, and K would make large pressures of the difference. Returns the number of linear
  /// systems. Throws SolverError where that fails.
  int restore_volumes(Equilibrium<dim> &equilibrium);

private:
  void   evaluate(const Vector<double> &state, const Vector<double> &a);
  double inertia(double step) const ///< the factor c of M
  {
    return (1. - scheme.alpha_m) / ((1. - scheme.alpha_f) * scheme.beta * step * step);
  }
  void                  carry(State &archive);
  const Vector<double> *former() const { return scheme.conserving ? &displacement : nullptr; }

  const Device                 device;
  FiniteDeformation<dim>      &deformation;
  const DeviceField<dim>      &field;
  const PrescribedMotion<dim> &boundary;
  const Vector<double>        &work;
  const TimeScheme             scheme;
  const double                 usual, difference; // steps of time: the usual one, and for rates of prescribed values
  Vector<double>               state_, displacement, velocity, acceleration; // displacement: a part of the state
  Vector<double>               center, scratch, next, r;
  double                       length = 0., done = 0.; // of the step; the work of the load
};
} // namespace adamant
