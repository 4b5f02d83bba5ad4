// Linear elasticity on adaptive meshes in two (plane strain) or three dimensions (Liebchen et al., Section 5.2):
//
//   d_t u - v = 0,   rho d_t v - div sigma(u) = f,   sigma = lambda tr(epsilon) I + 2 mu epsilon,
//
// u prescribed on Dirichlet boundaries (constant in time), sigma n = g elsewhere; backward Euler. With the
// matrices of mass M and stiffness K and the load F, one step is A x = E w + F' - C g (g: the prescribed values):
//
//   condensed:  (M + dt² K) u = M (u1 + dt v1) + dt² F,  v = (u - u1) / dt   (the first equation eliminates v)
//   coupled:    [ sM  -sM ] [  u ]   [ sM u1           ]
//               [ dt²K  M ] [dt v] = [ M dt v1 + dt² F ]   (as in the paper, six components a node)
//   stationary: K u = F
//
// where u1, v1 belong to the last step, and C is A acting on g. The factor s makes both equations' residuals comparable.

#include "formulation.h"
#include "parameters.h"
#include "results.h"

#include "elasticity/prescribed_axes.h"
#include "fem/forms/load.h"
#include "fem/functions/error_estimate.h"
#include "fem/functions/nodal_values.h"
#include "frame/program.h"
#include "frame/time_dependent_problem.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

using namespace elasticity;
using adamant::Form;
using adamant::Section;

template <int dim>
class Elasticity : public adamant::TimeDependentProblem<dim>
{
public:
  Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : adamant::TimeDependentProblem<dim>(device, run, parameters.schedule(), parameters.adaptivity,
                                         parameters.mesh_file)
    , parameters(parameters)
    , dt(parameters.time.step)
    , functions(parameters.problem)
    , quadrature(parameters.discretization.degree + 1)
    , guess(device, parameters.time.extrapolation_order)
  {}

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::schedule, Base::step, Base::time;

  void                   make_mesh() override { parameters.make(*mesh); }
  void                   adapt_mesh() override;
  void                   setup() override;
  void                   set_initial_values() override;
  adamant::PendingResult advance() override;
  void                   serialize(adamant::State &state) override;
  void                   add_statistics(adamant::Statistics::Row &row) override;
  bool                   statistics_wait() const override // for the energies
  {
    return step == schedule.n_steps || schedule.due(parameters.output.energy_interval, step);
  }
  void report() override;
  bool output_due() const override { return Base::output_due() && !(equation->stationary && step == 0); }

  void setup_fields(const std::string &formulation);
  void compute_energies();
  void assemble();
  void compute_rhs();

  const Parameters               &parameters;
  const double                    dt;
  const ProblemFunctions<dim>     functions;
  const QGauss<dim>               quadrature;
  std::optional<Formulation<dim>> equation;

  std::optional<adamant::LevelMeshes<dim>> meshes;
  std::optional<adamant::Field<dim>>       field; // u; coupled: u and dt v in each node
  std::optional<adamant::DeviceField<dim>> space;
  std::optional<Form<dim>>                 A;
  std::unique_ptr<adamant::LinearSolver>   solver; // of A
  adamant::Matrix<double>                  E;
  adamant::Extrapolation                   guess;
  Vector                      u, u_old, v, w, x, rhs, boundary_values; // coupled: u holds dt v too, and v nothing
  Vector                      work, load, lift; // F, for the work F . u; Hᵀ F in its rows; -C g
  std::optional<Results<dim>> results;
};

// In each cycle, solves the stationary problem and refines where Kelly's estimator is largest.
template <int dim>
void Elasticity<dim>::adapt_mesh()
{
  const auto &p = parameters.discretization;
  for (unsigned int cycle = 0; p.by_estimate() && cycle < p.refinement_steps; ++cycle)
    {
      setup_fields("stationary");
      if (cycle == 0) // a point outside of the mesh is found before anything is solved
        Results<dim>(device, *field, mapping, equation->materials, parameters.points(), parameters.output);
      assemble();
      time = parameters.time.end;
      advance().wait();
      time              = 0.;
      const auto values = this->download(u);
      Section    scope(run_info.timer, "init/mesh");
      const auto errors = adamant::estimate_errors(field->finest(), mapping, values.data());
      solver.reset(); // what refers to the mesh as it was
      A.reset();
      space.reset();
      field.reset();
      meshes.reset();
      adamant::refine_and_coarsen(*mesh, errors, p.refine_fraction, 0.);
    }
}

template <int dim>
void Elasticity<dim>::setup()
{
  setup_fields(parameters.time.stationary ? "stationary" : parameters.discretization.formulation);
  assemble();
  results.emplace(device, *field, mapping, equation->materials, parameters.points(), parameters.output);
  this->describe(*field, *A, *solver, parameters.linear_solver, parameters.time.extrapolation_order);

  if (equation->coupled)
    this->add_output(*field, u, {"displacement", "velocity"}, {1., 1. / dt});
  else
    {
      this->add_output(*field, u, {"displacement"});
      this->add_output(*field, v, {"velocity"});
    }
  this->add_output(*field, u, adamant::stress_postprocessor<dim>(equation->materials));
}

// All data that do not depend on the equation's coefficients: levels, constraints, vectors.
template <int dim>
void Elasticity<dim>::setup_fields(const std::string &formulation)
{
  Section scope(run_info.timer, "init/hierarchy");
  equation.emplace(formulation, parameters.materials(), dt, adamant::extent(*mesh));
  const FESystem<dim> fe(FE_Q<dim>(parameters.discretization.degree), equation->coupled ? 2 * dim : dim);

  // The limit counts cells of linear elements: others have more unknowns.
  auto options           = adamant::level_mesh_options<dim>(run_info, parameters.linear_solver, fe);
  options.coarsest_cells = std::max(options.coarsest_cells >> (dim * (fe.degree - 1)), 1u);
  meshes.emplace(*mesh, options);
  field.emplace(*meshes, "displacement", fe, adamant::prescribed_axes(parameters.problem.dirichlet, fe));
  space.emplace(device, *field, mapping);
  for (Vector *vector : {&u, &u_old, &v, &w, &x, &rhs, &lift})
    *vector = space->vector();
}

// The system matrices of all levels with their solver, and on the finest one what the right-hand side needs.
template <int dim>
void Elasticity<dim>::assemble()
{
  using namespace adamant;
  const auto flags = update_values | update_gradients | update_JxW_values;
  const auto add_A = [this](const auto &cell, auto &local) { equation->add_A(cell, local); };
  const auto add_E = [this](const auto &cell, auto &local) { equation->add_E(cell, local); };
  { // first what the finest level does alone
    const Section scope(run_info.timer, "init/assembly");
    Form<dim>     E_form("E", *field, nodal_values_by_component(*field), mapping, quadrature, flags, add_E);
    if (!equation->stationary)
      E = assemble_on(device, E_form);
    Form<dim> C("C", *field, prescribed_values(*field), mapping, quadrature, flags, add_A);
    boundary_values = Vector(
      device, nodal_values(field->finest(), mapping, *functions.boundary_displacement, field->finest().prescribed));
    device.multiply(-1., assemble_on(device, C), boundary_values, 0., lift);

    auto F = load_vector(field->finest(), mapping, quadrature, QGauss<dim - 1>(parameters.discretization.degree + 1),
                         *functions.body_force, functions.traction);
    work   = Vector(device, F);
    if (equation->coupled && !F.empty()) // to the rows of dt v, which follow those of u in each node
      std::rotate(F.begin(), F.end() - dim, F.end());
    load = Vector(device, transposed_product(field->finest().owned_H(), F));
  }
  A.emplace("A", *field, unknowns(*field), mapping, quadrature, flags, add_A, Levels::all);
  solver = make_constant_linear_solver<dim>(run_info.timer, device, *meshes, *field, *A, parameters.linear_solver,
                                            equation->name(),
                                            [this](const auto &level) { return rigid_body_modes(level, mapping); });
  guess  = Extrapolation(device, parameters.time.extrapolation_order);
}

template <int dim>
void Elasticity<dim>::set_initial_values()
{
  Section    scope(run_info.timer, "init/initial values");
  const auto set = [&](const Function<dim> &function, unsigned int first, const Vector &g, Vector &values) {
    space->nodal_values(Vector(device, adamant::nodal_values(field->finest(), mapping, function, first)), g, values);
  };
  set(*functions.initial_displacement, 0, boundary_values, u);
  set(*functions.initial_velocity, equation->coupled ? dim : 0, space->prescribed_vector(), equation->coupled ? w : v);
  if (equation->coupled)
    device.axpby(dt, w, 1., u);
}

template <int dim>
adamant::PendingResult Elasticity<dim>::advance()
{
  compute_rhs();
  Section scope(run_info.timer, "solve");
  guess.predict(x);
  std::swap(u, u_old);
  const auto result = solver->launch(rhs, x, [this] {
    space->nodal_values(x, boundary_values, u);
    if (equation->coupled || equation->stationary)
      return;
    device.copy(u, v);
    device.axpby(-1. / dt, u_old, 1. / dt, v);
  });
  guess.keep(x);
  if (results)
    results->measure(work, u, step);
  return result;
}

// rhs = E w + dt² F - C g at the new time; stationary: F - C g.
template <int dim>
void Elasticity<dim>::compute_rhs()
{
  Section scope(run_info.timer, "rhs");
  device.copy(lift, rhs);
  device.axpby((equation->stationary ? 1. : dt * dt) * functions.load_factor(time), load, 1., rhs);
  if (!equation->stationary)
    {
      device.copy(u, w);
      if (!equation->coupled)
        device.axpby(dt, v, 1., w);
      device.multiply(1., E, w, 1., rhs);
    }
}

template <int dim>
void Elasticity<dim>::serialize(adamant::State &state)
{
  results->serialize(state);
  state.vector(u, *space, boundary_values);
  if (!equation->coupled)
    state.vector(v, *space, space->prescribed_vector());
  state.history(guess, device, space->space());
}

template <int dim>
void Elasticity<dim>::compute_energies()
{
  const auto displacement = this->download(u), velocity = equation->coupled ? displacement : this->download(v);
  Section    scope(run_info.timer, "statistics");
  auto      &energy = results->energy;
  energy            = adamant::energies(field->finest(), mapping, quadrature, equation->materials, displacement.data(),
                                        velocity.data(), equation->coupled ? dim : 0);
  energy.kinetic /= equation->coupled ? dt * dt : 1.;
}

// F . u, energies, displacements at points.
template <int dim>
void Elasticity<dim>::add_statistics(adamant::Statistics::Row &row)
{
  auto &energy  = results->energy;
  energy.strain = energy.kinetic = std::numeric_limits<double>::quiet_NaN();
  if (statistics_wait())
    compute_energies();
  Section scope(run_info.timer, "statistics");
  results->add_to(row, functions.load_factor(time), step);
}

// The facts of the run; the error where the solution is known.
template <int dim>
void Elasticity<dim>::report()
{
  auto &record            = run_info.record;
  record["nodes"]         = field->finest().n_global_dofs() / field->node_size();
  record["hanging_nodes"] = field->finest().n_hanging() / field->node_size();
  record["formulation"]   = parameters.discretization.formulation;
  if (functions.exact_displacement)
    {
      functions.exact_displacement->set_time(time);
      this->report_l2_error(*field, u, *functions.exact_displacement);
    }
  if (std::isnan(results->energy.strain)) // a checkpoint of a step without them, and no step since
    compute_energies();
  results->add_to(record, this->download(u), run_info.folder());
  run_info.measure(*solver);
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Elasticity>(
    argc, argv, "elasticity",
    "Solves linear elasticity on adaptive meshes with multigrid (Liebchen et al., Section 5.2).");
}
