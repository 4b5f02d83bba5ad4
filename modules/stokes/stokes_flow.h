#pragma once

#include "algebra/device.h"
#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "flow/flow_boundaries.h"
#include "frame/device_field.h"
#include "frame/restart/state.h"
#include "stokes/saddle_point_solver.h"
#include "stokes/stokes_matrices.h"
#include "stokes/stokes_parameters.h"
#include "stokes/viscous_levels.h"

#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/tria.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adamant
{
template <int dim>
class FieldOutput;

/// Solves for slow flow with a viscosity that varies from cell to cell, and from solve to solve:
///
///   -div(2 η ε(u)) + ∇p = f,   div u = 0
///
/// in Q1-iso-Q2/Q1 or Q2-Q1 elements (StokesMatrices). The system
///
///   [ A  Bᵀ ] [ u ]   [ F + T - A_g g ]
///   [ B  0  ] [ p ] = [       - B_g g ],   g the prescribed velocities, T_i = ∫ t · φ_i with given tractions t,
///
/// is solved by flexible GMRES with multigrid for A and an approximation of the Schur complement (SaddlePointSolver),
/// from the last solution. The system is scaled: η by its value where the fluid flows (CellViscosity), lengths by the
/// domain's. For convection set, in each time step, the viscosity and the load, and solve:
///
///   flow.set_viscosity(flow.viscosity_of(at_points, true));
///   flow.update_solver();
///   flow.set_load(F);
///   flow.solve();   // flow.u, flow.p
///
/// All ranks of the mesh call all functions together.
template <int dim>
class StokesFlow
{
public:
  /// `mesh` is the pressure mesh refined once, and `levels` says how it is coarsened. References have to outlive the
  /// object, except `levels`. Throws InputError where the boundaries do not fit the mesh, or the solver is not
  /// available.
  StokesFlow(const Device &device, const LevelMeshOptions &levels, dealii::Triangulation<dim> &mesh,
             const dealii::MappingQ<dim> &mapping, const FlowBoundaries &boundaries,
             const ViscosityParameters &averages, const StokesSolverParameters &parameters, SchurComplement schur,
             VelocityElement element = VelocityElement::q1_iso_q2);

  /// Sets η and all matrices. update_solver() and set_load() have to follow.
  void set_viscosity(CellViscosity eta);
  /// Takes over the matrices. Makes a solver unless solver_stays().
  void update_solver();
  bool solver_stays() const { return solver && !new_precision; }
  /// Returns the viscosity for values at the quadrature points of A on the device, point q of cell c at c n_q + q. It
  /// is averaged in cells as the parameters say, or by the kind `automatic`. With `has_units` the scale is the harmonic
  /// mean over the domain, which is about η of the parts that flow; else it is 1. Throws InputError where η is not
  /// positive and finite, or varies by more than 1e12.
  CellViscosity viscosity_of(const Vector<double> &at_points, bool has_units,
                             const std::string &automatic = "harmonic");

  /// Sets the right-hand side for the load F_i = ∫ f · φ_i at the unknowns of the velocity, on the device. It adds the
  /// tractions, and the prescribed velocities with the viscosity that was set. Where they are not zero, A_g is
  /// assembled on the host.
  void set_load(const Vector<double> &F);

  /// Computes u and p from the last solution; p has zero mean where no boundary is open. Where GMRES does not converge
  /// in float32, it solves once more in mixed precision, if the parameters allow it. Throws SolverError.
  SolverResult solve();

  Vector<double> u, p;      ///< nodal values on the velocity's mesh
  Vector<double> viscosity; ///< viscosity of the cells

  /// Returns whether a velocity other than 0 is prescribed somewhere.
  bool prescribes_velocity() const { return !(device.dot(g, g) == 0.); } // also NaN
  /// These return ∫ 2 η |ε(u)|² and ∫ f · u + ∫ t · u, which are equal. Where prescribes_velocity(), they return
  /// neither.
  double dissipation() const { return device.dot(part(x, 0), viscous_forces(x)) / eta.scale; }
  double work() const { return device.dot(part(x, 0), part(b, 0)) / eta.scale; }
  /// Returns whether u is more than what the solver's tolerance leaves of a flow at rest. It is not where ‖A u‖ is at
  /// most 30 times the tolerance, relative to the right-hand side: for a load that the pressure balances, 17 times was
  /// measured. A viscosity that varies leaves more. Where ‖A u‖ is at most a tenth of the right-hand side, a copy of
  /// the solution is solved once more, to a hundredth of the tolerance. A flow keeps its forces then, an error of the
  /// solver does not.
  bool moves();

  /// Saves or loads the solution; set η and the load before.
  void serialize(State &state);

  /// Adds velocity, its derived fields, pressure and viscosity to the output, from the values of u, p and viscosity in
  /// host memory. `viscosity` may be null. `derived` has to outlive build_patches.
  void add_output(FieldOutput<dim> &output, const DerivedFields<dim> &derived, const double *u, const double *p,
                  const double *viscosity) const;

  /// These are for Evaluation: the fields u_x, ... and p, their quantities, and their values in host memory. There is
  /// also the fluid's force on boundaries, p n - 2 η ε n, by quadrature. Quantities read the viscosity that values()
  /// has copied last.
  std::vector<EvaluatedField<dim>> fields() const;
  std::vector<Quantity<dim>>       quantities() const;
  std::vector<Array<double>>       values() const;

  const StokesMatrices<dim> &matrices() const { return matrices_; }
  const LevelSpace<dim>     &space() const { return matrices_.space(); } ///< of the velocity
  const DeviceField<dim>    &velocity() const { return field; }
  const CellViscosity       &cell_viscosity() const { return eta; }
  Precision                  precision() const { return precision_; }
  std::size_t                n_unknowns() const ///< of all ranks
  {
    return space().n_global_dofs() + matrices_.pressure.finest().n_global_dofs();
  }

protected:
  void              make_solver(Precision precision);
  Precision         wanted_precision() const;
  SolverResult      solve_scaled(const Vector<double> &rhs, Vector<double> &solution, double part_of_tolerance = 1.);
  void              set_nodal_values();
  void              set_right_hand_side();
  void              set_cells(); // `viscosity` from eta
  bool              varies_smoothly(const Vector<double> &at_points);
  [[noreturn]] void refuse_viscosity(const Array<double> &of_cells) const;
  void              solution(State &state, Vector<double> &of); // saves or loads a vector such as x
  Vector<double>    part(const Vector<double> &of, int block) const
  {
    return block == 0 ? of.part(0, field.size()) : of.part(field.size(), of.size() - field.size());
  }
  Vector<double> viscous_forces(const Vector<double> &of) const; // A u, scaled

  Device                           device;
  dealii::Triangulation<dim>      &mesh;
  const dealii::MappingQ<dim>     &mapping;
  const ViscosityParameters       &average_parameters;
  const StokesSolverParameters    &parameters;
  SchurComplement                  schur;
  double                           length; // of the domain
  StokesMatrices<dim>              matrices_;
  DeviceField<dim>                 field;
  const LinearOperator            *tangent = nullptr; // see SaddlePointSolver
  std::optional<SaddlePointSolver> solver;
  Precision                        precision_ = Precision::float64;
  std::optional<Precision>         new_precision;           // of the solver that update_solver() makes
  bool                             solver_is_behind = true; // whether update_solver() has to follow
  bool                             b_is_behind      = true; // whether set_load() has to follow
  CellViscosity                    eta;
  Vector<double>                   volumes, scratch;  // of the cells
  double                           volume = 0.;       // of the domain
  Vector<double>                   prescribed, g;     // velocities; g: times the scale of η
  Vector<double>                   tractions, forces; // loads: of the boundaries, and all
  Vector<double>                   b, x;              // x is (u times the scale of η, p times length)
  std::optional<Matrix<double>>    injection;         // of pressures on the velocity mesh to unknowns

  std::shared_ptr<Array<double>> on_host = std::make_shared<Array<double>>(); // the viscosity, see values()
};
} // namespace adamant
