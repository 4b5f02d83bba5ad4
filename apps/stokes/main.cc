// Stokes flow with a viscosity that varies by many orders of magnitude:
//
//   -div(2 η ε(u)) + ∇p = f,   div u = 0,
//
// u = 0 (no slip), u·n = 0 without tangential stress (free slip), or u prescribed on each boundary; Q1-iso-Q2/Q1
// elements (StokesMatrices). The system
//
//   [ A  Bᵀ ] [ u ]   [ F - A_g g ]
//   [ B  0  ] [ p ] = [   - B_g g ],   g the prescribed velocities,
//
// is solved by flexible GMRES with multigrid for A and an approximation of the Schur complement (SaddlePointSolver).
// All is scaled: η by what flows (CellViscosity), lengths by that of the domain; results are in the input's units.

#include "cases.h"
#include "results.h"

#include "application/device_field.h"
#include "application/point_evaluation.h"
#include "application/program.h"
#include "application/time_dependent_problem.h"
#include "discretization/fields/error_estimate.h"
#include "discretization/fields/nodal_values.h"
#include "discretization/fields/points.h"
#include "discretization/forms/load.h"
#include "multigrid/saddle_point_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

using namespace stokes;
using adamant::Section;

template <int dim>
class Stokes : public adamant::TimeDependentProblem<dim>
{
public:
  Stokes(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, {1., 1, parameters.output.files ? 1u : 0u})
    , parameters(parameters)
    , data(make_case<dim>(parameters.problem))
  {
    require(run.ranks.size() == 1 && !adamant::is_distributed(*mesh),
            "stokes runs on one rank, with a serial mesh: coarser levels' viscosities are not made on several");
  }

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::step, Base::time;

  void                        make_mesh() override;
  void                        adapt_mesh() override;
  void                        setup() override;
  void                        set_initial_values() override {}
  adamant::SolverResult       advance() override;
  void                        serialize(adamant::State &state) override;
  void                        report() override;
  bool                        output_due() const override { return Base::output_due() && step > 0; }
  std::vector<const Vector *> output_vectors() const override { return {&u, &p}; }
  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    write_state(*matrices, mapping, eta, values[0], values[1], series, t);
  }

  void                  setup_matrices();
  void                  setup_viscosity();
  void                  setup_vectors();
  void                  setup_solver(adamant::Precision precision);
  void                  set_right_hand_side();
  void                  set_nodal_values();
  void                  update_viscosity(double stage);
  adamant::SolverResult solve();

  const Parameters                           &parameters;
  const Case<dim>                             data;
  std::optional<adamant::StokesMatrices<dim>> matrices;
  std::optional<adamant::DeviceField<dim>>    velocity;
  std::optional<adamant::SaddlePointSolver>   solver;
  CellViscosity                               eta;                  // over its scale: see cases.h
  double                                      length = 1.;          // of the domain
  Vector                                      viscosity, at_points; // η on the device
  Vector             boundary_values, load, b, x;                   // times the scale of η; x is (u, p times length)
  Vector             u, p;                                          // at the nodes, in the input's units
  adamant::Precision precision = adamant::Precision::float64;
};

// The pressure mesh, then refined once more.
template <int dim>
void Stokes<dim>::make_mesh()
{
  parameters.mesh.make(*mesh);
  refine_for_viscosity(*data.viscosity, parameters.refinement.ratio, parameters.refinement.for_viscosity, *mesh);
  adamant::refine_global(*mesh, 1);
}

// Solves, and refines where Kelly's estimator of the velocity is largest.
template <int dim>
void Stokes<dim>::adapt_mesh()
{
  for (unsigned int cycle = 0; cycle < parameters.refinement.for_velocity; ++cycle)
    {
      setup();
      advance();
      const auto values = this->download(u);
      Section    scope(run_info.timer, "init/mesh");
      const auto errors = adamant::estimate_errors(matrices->space(), mapping, values.data());
      solver.reset(); // what refers to the mesh as it was
      velocity.reset();
      matrices.reset();
      refine_halved(*mesh, errors, parameters.refinement.fraction);
    }
}

template <int dim>
void Stokes<dim>::setup()
{
  setup_matrices();
  setup_viscosity();
  setup_vectors();
  setup_solver(choose_precision(parameters.linear_solver, eta, matrices->space()));
  print_size(parameters.problem, *matrices, precision);
  run_info.describe(
    {std::size_t(x.size()), mesh->n_active_cells(), matrices->data().velocity, parameters.linear_solver});
}

template <int dim>
void Stokes<dim>::setup_matrices()
{
  Section scope(run_info.timer, "init/matrices");
  length                = std::pow(GridTools::volume(*mesh), 1. / dim);
  const auto &solver    = parameters.linear_solver;
  auto        levels    = adamant::level_mesh_options<dim>(run_info, solver, FE_Q<dim>(1));
  levels.coarsest_cells = solver.coarsest_cells; // of the pressure, where the velocity has another preconditioner
  matrices.emplace(device, *mesh, mapping, dirichlet_boundary(parameters.problem, *mesh),
                   walls(parameters.problem, *mesh),
                   adamant::StokesOptions{levels, ViscosityParameters::average(parameters.viscosity.coarse),
                                          parameters.schur(), solver.exponent, solver.boundary_weight, length});
  velocity.emplace(device, matrices->velocity, mapping);
}

// η on the cells of the velocity mesh, and all matrices.
template <int dim>
void Stokes<dim>::setup_viscosity()
{
  Section     scope(run_info.timer, "init/viscosity");
  const auto &space = matrices->space();
  eta               = cell_viscosity(
                  space, positive_values(*data.viscosity, adamant::quadrature_points(space, mapping, matrices->quadrature)),
                  parameters.viscosity.finest, parameters.problem.name == "expressions");
  viscosity = Vector(device, eta.stage(1. / parameters.viscosity.stages));
  at_points = Vector(device, eta.at_points);
  matrices->update(viscosity, at_points.size() > 0 ? &at_points : nullptr);
}

template <int dim>
void Stokes<dim>::setup_vectors()
{
  Section    scope(run_info.timer, "init/right-hand side");
  const int  n = velocity->size() + matrices->pressure.finest().n_owned();
  const auto F = load_vector(matrices->space(), mapping, QGauss<dim>(3), QGauss<dim - 1>(3), *data.force, {});
  auto       f = adamant::transposed_product(matrices->space().owned_H(), F);
  f.resize(n, 0.);
  load            = Vector(device, f);
  b               = Vector(device, n);
  x               = Vector(device, n);
  u               = velocity->vector();
  p               = Vector(device, matrices->nodal_pressure.finest().n_owned());
  boundary_values = Vector(device, prescribed_velocity(parameters.problem, matrices->space(), mapping, eta.scale));
}

template <int dim>
void Stokes<dim>::setup_solver(adamant::Precision with_precision)
{
  Section scope(run_info.timer, "init/solver");
  precision         = with_precision;
  auto options      = parameters.linear_solver.options("Stokes problem");
  options.precision = precision;
  std::unique_ptr<adamant::Preconditioner> external;
  if (parameters.linear_solver.preconditioner != "multigrid")
    external = adamant::make_amg_preconditioner<dim>(
      device, matrices->data().velocity.back(), matrices->space(), parameters.linear_solver,
      [this](const auto &space) { return adamant::rigid_body_modes(space, mapping); });
  solver.emplace(device, matrices->data(), dim, parameters.schur(), options, SolverParameters::pressure_options(),
                 std::move(external));
}

// x solves the scaled problem; u and p are in the input's units, the pressure of zero mean.
template <int dim>
adamant::SolverResult Stokes<dim>::advance()
{
  adamant::SolverResult result;
  for (unsigned int stage = 1; stage <= parameters.viscosity.stages; ++stage)
    {
      if (stage > 1)
        update_viscosity(double(stage) / parameters.viscosity.stages);
      set_right_hand_side();
      Section    scope(run_info.timer, "solve");
      const auto of_stage = solve();
      result = {result.iterations + of_stage.iterations, of_stage.initial_residual, of_stage.final_residual};
      device.synchronize();
    }
  set_nodal_values();
  return result;
}

template <int dim>
void Stokes<dim>::set_nodal_values()
{
  Vector x_u = solver->blocks().of(x, 0), x_p = solver->blocks().of(x, 1);
  velocity->nodal_values(x_u, boundary_values, u);
  device.scale(1. / eta.scale, u);
  matrices->remove_mean(x_p);
  device.multiply(1. / length, matrices->to_velocity_mesh, x_p, 0., p);
}

// All that depends on the viscosity, where it is.
template <int dim>
void Stokes<dim>::update_viscosity(double stage)
{
  viscosity.upload(eta.stage(stage).data());
  Section scope(run_info.timer, "update");
  matrices->update(viscosity);
  solver->update();
  device.synchronize();
}

template <int dim>
void Stokes<dim>::set_right_hand_side()
{
  device.copy(load, b);
  if (device.dot(boundary_values, boundary_values) > 0.)
    matrices->subtract_prescribed(boundary_values, b);
}

// Where float does not do, once more with mixed precision.
template <int dim>
adamant::SolverResult Stokes<dim>::solve()
{
  try
    {
      return solver->solve(b, x);
    }
  catch (const adamant::SolverError &error)
    {
      if (precision != adamant::Precision::float32 || !parameters.linear_solver.adapt_precision)
        throw adamant::SolverError(error.what() + rounding_limit<dim>(eta, cell_length(*mesh), x, b));
      std::cout << error.what() << "\nonce more with Linear solver/Precision = mixed" << std::endl;
    }
  x.set_zero();
  setup_solver(adamant::Precision::mixed);
  return solve();
}

template <int dim>
void Stokes<dim>::serialize(adamant::State &state)
{
  Vector x_u = solver->blocks().of(x, 0), x_p = solver->blocks().of(x, 1);
  state.unknowns(x_u, matrices->space());
  state.unknowns(x_p, matrices->pressure.finest());
  if (!state.loading())
    return;
  if (parameters.viscosity.stages > 1)
    update_viscosity(1.);
  set_right_hand_side();
  set_nodal_values();
}

// Errors, values at points, and the balance of energy.
template <int dim>
void Stokes<dim>::report()
{
  auto      &record  = run_info.record;
  const auto nodal_u = this->download(u), nodal_p = this->download(p);
  Section    scope(run_info.timer, "output");
  Vector     x_u = solver->blocks().of(x, 0), b_u = solver->blocks().of(b, 0), Ax = velocity->vector();
  solver->A().multiply(1., x_u, 0., Ax);
  record["dissipation"]   = device.dot(x_u, Ax) / eta.scale;
  record["work_of_force"] = device.dot(x_u, b_u) / eta.scale;
  record["precision"]     = to_text(precision);
  record["max_velocity"]  = max_norm(nodal_u);
  record_facts(parameters, *matrices, eta, record);
  record_errors(data, *matrices, mapping, nodal_u, nodal_p, record);
  const auto &points           = parameters.output.points;
  record["velocity_at_points"] = adamant::PointEvaluation(device, matrices->velocity, mapping, points, dim)(u);
  record["pressure_at_points"] = adamant::PointEvaluation(device, matrices->nodal_pressure, mapping, points, 1)(p);
  std::cout << "largest velocity " << record["max_velocity"] << ", dissipation " << record["dissipation"]
            << (data.exact_velocity ? ", L2 errors " + record["errors"].dump() : "") << std::endl;
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Stokes>(
    argc, argv, "stokes", "Solves Stokes flow with strongly varying viscosity by multigrid in flexible GMRES.");
}
