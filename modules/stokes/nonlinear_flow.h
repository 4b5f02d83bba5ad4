#pragma once

#include "solvers/newton.h"
#include "stokes/stokes_flow.h"
#include "stokes/strain_operator.h"
#include "stokes/viscosity_law.h"

#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Slow flow whose viscosity is a ViscosityLaw. Where the law depends on the strain rate, solve() is Newton's method
/// with backtracking: with the residual F,
///
///   F(u) = ∫ 2 η ε(u) : ε(v) - ...,   F'(u) δ = ∫ 2 η ε(δ) : ε(v) + 4 η' (ε(u) : ε(v)) (ε(u) : ε(δ)),
///
/// where η' = ∂η/∂(ε : ε).
///
/// The preconditioner is that of Picard's method, the first term, whose products go by cells where they can.
/// StrainOperator has the second term, in which an average of η in cells has its own derivative.
///
/// In each time step set the fields that the law needs, then:
///
///   flow.extrapolate(dt);
///   flow.set_input("c", c_at_points);
///   flow.update_viscosity();
///   flow.set_load(F);
///   flow.update_solver();
///   flow.solve();
template <int dim>
class NonlinearFlow : public StokesFlow<dim>, private NonlinearProblem
{
public:
  /// As StokesFlow. `gravity` says where depths begin; `law` has to outlive the object.
  NonlinearFlow(const Device &device, const LevelMeshOptions &levels, dealii::Triangulation<dim> &mesh,
                const dealii::MappingQ<dim> &mapping, const FlowBoundaries &boundaries,
                const NonlinearViscosityParameters &viscosity, const StokesSolverParameters &parameters,
                SchurComplement schur, const ViscosityLaw &law, const std::vector<double> &gravity);

  /// Sets values at the quadrature points of A, in the order of viscosity_of(), of "T" or "c". The law may do without.
  void set_input(const std::string &name, const Vector<double> &at_points);
  /// Begins a time step of the length dt where the law depends on the strain rate. solve() then starts from
  /// x + r (x - x_before). These are the last two solutions, and r is dt over the step before. It starts from x where
  /// that has a smaller residual, after the first solution, and on a new mesh.
  void extrapolate(double dt);
  /// Sets η for the inputs and the last velocity. Throws InputError where η is not positive and finite, or varies by
  /// more than 1e12, with all that it depends on at the worst point.
  void update_viscosity();
  /// Solves from the last solution. Throws SolverError, also where Newton's method fails.
  SolverResult solve();

  /// Saves or loads the solution as StokesFlow does, and sets η for the velocity that it loads. Checkpoints have what
  /// extrapolate() needs, too.
  void serialize(State &state);

  int nonlinear_steps() const { return steps; } ///< of the last solve(); 0: the law has no strain rate
  /// Returns the kind of average of the viscosity in cells, as a word.
  std::string average() const { return viscosity_parameters.finest_name(law.automatic_average()); }

private:
  using Base = StokesFlow<dim>;
  using Base::b, Base::device, Base::eta, Base::field, Base::parameters, Base::part, Base::solver, Base::x;

  void                  set_depths(const dealii::Mapping<dim> &mapping, const std::vector<double> &gravity);
  bool                  at_rest() const;
  void                  evaluate(const Vector<double> &of);
  CellViscosity         checked_viscosity();
  const Vector<double> &averaged();
  Average               kind_of_average() const { return viscosity_parameters.finest_average(law.automatic_average()); }
  SolverResult          find_size();
  void                  choose_start();
  std::string           worst_points() const;
  std::string           values_at(const Array<double> &numbers, int point) const;
  Vector<double>        input(std::size_t k) const { return inputs.part(static_cast<int>(k) * n, n); }

  void         residual(const Vector<double> &at, Vector<double> &r) override;
  void         linearize(const Vector<double> &at, Linearization kind) override;
  SolverResult solve(const Vector<double> &r, Vector<double> &d, double tolerance) override;

  const ViscosityLaw                  &law;
  const NonlinearViscosityParameters  &viscosity_parameters;
  int                                  n; // points
  Vector<double>                       inputs, of_law, eta_of_points, eta_of_cells, nodal;
  std::unique_ptr<StrainOperator<dim>> strain; // null: the law has no strain rate
  std::unique_ptr<Newton>              newton;
  Vector<double>                       before;                            // the solution before x
  double                               scale_before = 0., last_step = 0.; // of η in it, and the time to x
  bool                                 is_linearized   = false; // whether matrices are those of the next linearize()
  bool                                 is_extrapolated = false; // whether x is, and no solution
  int                                  steps           = 0;
};
} // namespace adamant
