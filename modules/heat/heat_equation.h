#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "coefficients/coarser_values.h"
#include "coefficients/values_at_points.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "frame/device_field.h"
#include "frame/restart/state.h"
#include "heat/coarser_cells.h"
#include "heat/heat_notes.h"
#include "heat/heat_parameters.h"
#include "heat/heat_statistics.h"
#include "heat/inflow.h"
#include "heat/step_weights.h"
#include "multigrid/linear_solver.h"
#include "operators/ghost_values.h"
#include "scalar/transport/limited_transport.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Solves ∂_t T + u · ∇T - κ ΔT = Q implicitly. T is bilinear on the mesh of a bilinear velocity, or biquadratic on the
/// mesh of the pressure, with the nodes of the velocity (CoarserCells). The velocity of a step is
/// u* = (1 + r) uⁿ - r uⁿ⁻¹, where r is the step over the last one. A step of BDF2 solves
///
///   (a0/dt M + C(u*) + κ K) Tⁿ⁺¹ = -M (a1 Tⁿ + a2 Tⁿ⁻¹)/dt + Q + fluxes,
///
/// with test functions φ_i + τ u* · ∇φ_i (FlowAtPoints). The first step is that of BDF1. The device computes the
/// matrices of all levels anew in each step, with τ of each level's own cells.
///
/// With LimitedTransport a step is Strang's splitting: half a step of diffusion, transport, and half a step of
/// diffusion. The transport takes the velocity of the step's middle, uⁿ + r/2 (uⁿ - uⁿ⁻¹), and as many steps as its
/// bounds need. It moves prescribed values, too, which are set anew after it. A half step of the length s solves
///
///   M (T' - T)/s + κ K (θ T' + (1 - θ) T) = Q + fluxes
///
/// M is the lumped mass matrix, and Q and fluxes belong to the time of θ T' + (1 - θ) T. The number θ is 1/2
/// (Crank-Nicolson), or the least one above for which (1 - θ) s κ K_ii <= M_ii. Then T' stays in the range of T and of
/// prescribed values, if no K_ij beside the diagonal is positive, and without Q and fluxes. This holds on squares, and
/// on cubes without hanging nodes.
///
/// All ranks call all functions together.
template <int dim>
class HeatEquation
{
public:
  /// `velocity` has dim components of degree 1; all references have to outlive the object, and so has `transport`.
  /// Where advection is limited, it carries T, and is for fields on the velocity's meshes. Throws InputError where
  /// boundaries do not fit.
  HeatEquation(const Device &device, const Field<dim> &velocity, const dealii::Mapping<dim> &mapping,
               const HeatParameters &parameters, LimitedTransport<dim> *transport = nullptr);

  /// Has `notes` printed from now on, see check_start() and advance(). The flow's velocity is given at the boundaries
  /// `given`, and it may pass the boundaries `open`. `notes` has to outlive the object.
  void watch(Notes &notes, const std::set<unsigned int> &given, const std::set<unsigned int> &open);

  /// Sets T at time 0. Throws InputError for values of T, Q and fluxes that are no numbers.
  void set_initial_values();
  /// Throws InputError where the first velocity u enters through one of the boundaries `given` that has neither a value
  /// nor a flux. Notes where the heat that arises or comes in has no way out.
  void check_start(const Vector<double> &u);
  /// Notes conduction_note() for a flow that is at rest; `density` has values at the points of evaluate().
  void check_rest(double viscosity, const std::vector<double> &gravity, const Vector<double> &density) const;
  /// Returns the step that the Courant number and the growth of steps allow for the velocity u; it may be infinite. For
  /// the first step, conduction counts as a velocity κ/h.
  double next_step(const Vector<double> &u);
  bool   solver_stays() const { return solver != nullptr; } ///< or advance() makes one
  /// Advances T by dt to `time`; u has the velocity at the beginning of the step. Afterwards the transport of limited
  /// advection has the velocity of the step's middle. Throws SolverError, and InputError where data become no numbers.
  /// Notes inflow through one of the boundaries `open` without a value or a flux, values of T far outside of the
  /// initial and prescribed ones, and solves with many iterations.
  void advance(double time, double dt, const Vector<double> &u);

  /// Computes T at the points of QGauss(2) in the velocity's cells: point q of cell c is entry c n_q + q.
  void evaluate(Vector<double> &at_points) const;

  /// Returns the mean of κ ∂_n T, the heat that comes in, on each boundary with prescribed values. It follows from the
  /// residual of the last step (consistent flux); a node where such boundaries meet counts for the first one. With
  /// limited advection it is the mean of the half steps' residuals, and what sets prescribed values anew.
  const std::map<unsigned int, double> &fluxes() const { return mean_fluxes; }
  /// Returns the residual of the last step at all nodes, from which the fluxes follow, as rows of all_rows(). At nodes
  /// with prescribed values it is ∮ κ ∂_n T φ_i.
  const Vector<double>  &residuals() const { return r; }
  const LevelSpace<dim> &all_rows() const { return unconstrained.finest(); }
  /// Returns whether there has been a step, on this mesh and in this run, whose residual residuals() is.
  bool has_residuals() const { return has_r; }
  /// Returns -∫ T div u* of the last step, the heat that the discrete flow takes away. It would be zero for a flow
  /// without divergence. With the flux F through all boundaries, ∮ F - ∮ T u* · n + ∫ Q = ∂_t ∫ T + heat_defect().
  /// With limited advection it is the heat that the transport takes out, which leaves through open boundaries, and
  /// ∮ F + ∫ Q = (∫ Tⁿ⁺¹ - ∫ Tⁿ)/dt + heat_defect().
  double heat_defect() const { return defect; }
  /// Adds iterations of the last step, mean, least and largest T, fluxes() and heat_defect().
  void add_to(Statistics::Row &row) const;
  void add_to(RunRecord &record) const;

  /// Saves or loads the state; at `time` on a new mesh.
  void serialize(State &state, double time);

  const LevelSpace<dim> &space() const { return field.space(); }
  const HeatParameters  &data() const { return parameters; }

  /// Returns a space on the velocity's mesh that has T, and T's nodal values there until the next call, for outputs and
  /// for a mesh that follows T.
  const LevelSpace<dim> &shown_space() const { return coarser ? coarser->shown.finest() : space(); }
  const Vector<double>  &shown() const { return coarser ? coarser->show(T) : T; }

  Vector<double> T; ///< nodal values

private:
  int                   n_points() const { return points.n_points(); }
  bool                  is_limited() const { return transport != nullptr; }
  const Field<dim>     &flow_here() const { return coarser ? coarser->velocity : velocity; } // on T's cells
  const Vector<double> &here(const Vector<double> &u) { return coarser ? coarser->velocity_here(u) : u; }
  void                  flow_at_points(std::size_t level, double kappa, bool upwind, double *rate);
  double                largest_rate(double kappa);
  void                  set_flow();
  void                  assemble(double mass);
  void                  solve(const BackwardDifference &weights, double time, double dt, double ratio);
  void                  split_step(double time, double dt);
  void                  residual(const Vector<double> &of, const BackwardDifference &weights, double time, double dt);
  void                  add_loads(Vector<double> &y);
  void                  note_values(double dt);
  std::string           cell_numbers(double dt);
  HeatStatistics        statistics() const;

  Device                                 device;
  const HeatParameters                  &parameters;
  const dealii::Mapping<dim>            &mapping;
  const Field<dim>                      &velocity;
  LimitedTransport<dim>                 *transport;
  const dealii::Quadrature<dim>          quadrature;
  Field<dim>                             host, unconstrained; // the second one has no prescribed values
  std::unique_ptr<CoarserCells<dim>>     coarser;             // than the velocity's; null: T has the velocity's
  DeviceField<dim>                       field;
  QuadratureData<dim>                    points; // of T on the finest level
  std::vector<QuadratureData<dim>>       of_velocity;
  InjectedValues<dim>                    velocities;
  GhostValues                            ghosts;
  std::vector<int>                       first_point; // of each level, and the end
  ValuesAtPoints                         boundary, heating;
  Matrix<double>                         E; // loads of cells to unknowns
  BoundaryLoad<dim>                      load;
  List<double>                           position; // of the velocity's nodes
  Form<dim>                              A;
  std::unique_ptr<LinearSolver>          solver;
  Vector<double>                         T_old, before, rate, x, b, r, free, integrals, flow, u_star, u_before;
  Vector<double>                         courant_rate, integrands, of_cells; // of_cells: loads
  Vector<double>                         first_half; // of a step with limited transport: its residual
  std::map<unsigned int, Vector<double>> mean_on;    // weights of rows
  std::map<unsigned int, double>         mean_fluxes;
  double                                 last_step = 0., volume = 0.;
  double                                 theta = 1., fastest = 0.; // fastest: a bound of κ K_ii / M_ii
  int                                    iterations = 0;
  double                                 defect     = std::numeric_limits<double>::quiet_NaN();
  std::array<double, 2>                  range{{1e300, -1e300}}; // of initial and prescribed values
  Vector<double>                         ones;                   // for each cell
  Notes                                 *notes   = nullptr;
  bool                                   is_open = false, has_r = false;
  Inflow<dim>                            given_inflow, open_inflow;
};
} // namespace adamant
