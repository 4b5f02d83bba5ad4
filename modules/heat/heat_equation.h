#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "expressions/values_at_points.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "fem/functions/coarser_values.h"
#include "frame/device_field.h"
#include "frame/restart/state.h"
#include "heat/heat_parameters.h"
#include "heat/heat_statistics.h"
#include "heat/step_weights.h"
#include "multigrid/linear_solver.h"
#include "operators/ghost_values.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <map>
#include <memory>
#include <vector>

namespace adamant
{
/// Solves ∂_t T + u · ∇T - κ ΔT = Q for a bilinear T on the mesh of a bilinear velocity, implicitly. The velocity of
/// a step is u* = (1 + r) uⁿ - r uⁿ⁻¹, where r is the step over the last one. A step of BDF2 solves
///
///   (a0/dt M + C(u*) + κ K) Tⁿ⁺¹ = -M (a1 Tⁿ + a2 Tⁿ⁻¹)/dt + Q + fluxes,
///
/// with test functions φ_i + τ u* · ∇φ_i (FlowAtPoints). The first step is that of BDF1. The device computes the
/// matrices of all levels anew in each step, with τ of each level's own cells.
/// All ranks call all functions together.
template <int dim>
class HeatEquation
{
public:
  /// `velocity` has dim components of degree 1; all references have to outlive the object. Throws InputError where
  /// boundaries do not fit.
  HeatEquation(const Device &device, const Field<dim> &velocity, const dealii::Mapping<dim> &mapping,
               const HeatParameters &parameters);

  /// Sets T at time 0. Throws InputError for values that are no numbers.
  void set_initial_values();
  /// Returns the step that the Courant number and the growth of steps allow for the velocity u; it may be infinite. For
  /// the first step, conduction counts as a velocity κ/h.
  double next_step(const Vector<double> &u);
  bool   solver_stays() const { return solver != nullptr; } ///< or advance() makes one
  /// Advances T by dt to `time`; u has the velocity at the beginning of the step. Throws SolverError.
  void advance(double time, double dt, const Vector<double> &u);

  /// Computes T at the points of QGauss(2): point q of cell c is entry c n_q + q.
  void evaluate(Vector<double> &at_points) const;

  /// Returns the mean of κ ∂_n T, the heat that comes in, on each boundary with prescribed values. It follows from the
  /// residual of the last step (consistent flux); a node where such boundaries meet counts for the first one.
  const std::map<unsigned int, double> &fluxes() const { return mean_fluxes; }
  /// Adds iterations of the last step, mean, least and largest T, and fluxes().
  void add_to(Statistics::Row &row) const;
  void add_to(RunRecord &record) const;

  /// Saves or loads the state; at `time` on a new mesh.
  void serialize(State &state, double time);

  const LevelSpace<dim> &space() const { return field.space(); }

  Vector<double> T; ///< nodal values

private:
  int            n_points() const { return points.n_points(); }
  void           assemble(const BackwardDifference &weights, double dt, const Vector<double> &u, double ratio);
  void           residual(const Vector<double> &of, const BackwardDifference &weights, double time, double dt);
  void           add_loads(Vector<double> &y);
  HeatStatistics statistics() const;

  const dealii::QGauss<dim>              quadrature{2};
  Device                                 device;
  const HeatParameters                  &parameters;
  const dealii::Mapping<dim>            &mapping;
  const Field<dim>                      &velocity;
  Field<dim>                             host, unconstrained; // the second one has no prescribed values
  DeviceField<dim>                       field;
  QuadratureData<dim>                    points; // of T on the finest level
  std::vector<QuadratureData<dim>>       of_velocity;
  InjectedValues<dim>                    velocities;
  GhostValues                            ghosts;
  std::vector<int>                       first_point; // of each level, and the end
  ValuesAtPoints                         boundary, heating;
  Matrix<double>                         E; // loads of cells to unknowns
  BoundaryLoad<dim>                      load;
  Form<dim>                              A;
  std::unique_ptr<LinearSolver>          solver;
  Vector<double>                         T_old, before, rate, x, b, r, free, integrals, flow, u_star, u_before;
  Vector<double>                         courant_rate, integrands, of_cells; // of_cells: loads
  std::map<unsigned int, Vector<double>> mean_on;                            // weights of rows
  std::map<unsigned int, double>         mean_fluxes;
  double                                 last_step = 0., volume = 0.;
  int                                    iterations = 0;
};
} // namespace adamant
