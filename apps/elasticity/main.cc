// Linear elasticity on adaptive meshes in two or three dimensions (Liebchen et al., Section 5.2):
//
//   d_t u - v = 0,   rho d_t v - div sigma(u) = f,   sigma = lambda tr(epsilon) I + 2 mu epsilon - (thermal stress) I,
//
// u is prescribed on Dirichlet boundaries (constant in time), and sigma n = g - k u elsewhere. With backward Euler, the
// matrices of mass M and stiffness K and the load F, one step is A x = E w + F' - C g (g: the prescribed values):
//
//   condensed:  (M + dt² K) u = M (u1 + dt v1) + dt² F,  v = (u - u1) / dt   (the first equation eliminates v)
//   coupled:    [ sM  -sM ] [  u ]   [ sM u1           ]
//               [ dt²K  M ] [dt v] = [ M dt v1 + dt² F ]   (as in the paper, six components a node)
//   stationary: K u = F
//
// where u1, v1 belong to the last step, and C is A acting on g. The factor s makes both residuals comparable.

#include "formulation.h"
#include "parameters.h"

#include "coefficients/values_at_points.h"
#include "elasticity/elastic_results.h"
#include "elasticity/stiffness_by_cells.h"
#include "fem/functions/error_estimate.h"
#include "fem/functions/points.h"
#include "frame/program.h"
#include "frame/unknown.h"
#include "solvers/extrapolation.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <optional>
#include <utility>

using namespace elasticity;
using adamant::ColumnKind, adamant::PendingResult;

template <int dim>
class Elasticity : public adamant::TimeDependentProblem<dim>
{
public:
  Elasticity(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file,
           parameters.discretization.degree)
    , parameters(parameters)
    , dt(parameters.time.step)
    , load_factor(parameters.problem.load_factor_of_time())
    , guess(device, parameters.time.extrapolation_order)
  {}

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::schedule, Base::step, Base::time;

  void make_mesh() override { parameters.make(*mesh); }

  // Solves in each cycle the stationary problem and refines where Kelly's estimator is largest.
  void adapt_mesh() override
  {
    const auto &p = parameters.discretization;
    for (unsigned int cycle = 0; p.by_estimate() && cycle < p.refinement_steps; ++cycle)
      {
        formulation = "stationary";
        Base::setup();
        time = parameters.time.end;
        this->advance().wait();
        time              = 0.;
        const auto values = this->download(u);
        this->timed("init/mesh", [&] {
          adamant::refine_and_coarsen(*mesh, adamant::estimate_errors(field->space(), mapping, values.data()),
                                      p.refine_fraction, 0.);
        });
      }
  }

  void setup() override
  {
    formulation = parameters.time.stationary ? "stationary" : parameters.discretization.formulation;
    Base::setup();
    this->describe(*field, *A, *solver, parameters.time.extrapolation_order);
    if (equation->coupled)
      this->add_output(*field, u, {"displacement", "velocity"}, {1., 1. / dt});
    else
      {
        this->add_output(*field, u, {"displacement"});
        this->add_output(*field, v, {"velocity"});
      }
    this->add_output(*field, u, adamant::elastic_fields<dim>(parameters.output, equation->materials));
  }

  // Makes the data that do not depend on the equation's coefficients: levels, constraints, vectors.
  void setup_fields() override
  {
    solver.reset(); // of another mesh
    A.reset();
    const FESystem<dim> fe(FE_Q<dim>(parameters.discretization.degree), formulation == "coupled" ? 2 * dim : dim);
    field.emplace(*this, "displacement", fe, parameters.problem.boundaries.prescribed(fe, adamant::extent(*mesh)),
                  parameters.linear_solver, parameters.integration());
    equation.emplace(formulation, parameters, *field, mapping, dt, adamant::extent(*mesh));
    for (Vector *vector : {&u, &u_old, &v, &w, &x, &rhs, &lift})
      *vector = field->vector();
    results.emplace(device, *field, mapping, equation->materials, parameters.output); // checks points
  }

  // Makes the matrices of all levels with their solver, and on the finest level the right-hand side's matrices.
  void assemble() override
  {
    const auto add_A = [this](const auto &cell, auto &local) { equation->add_A(cell, local); };
    const auto add_E = [this](const auto &cell, auto &local) { equation->add_E(cell, local); };
    if (!equation->stationary)
      E = field->matrix("E", equation->columns_of_E(), add_E);
    boundary_values = values_of("Boundary displacement", field->space().prescribed);
    device.multiply(-1., field->matrix("C", ColumnKind::prescribed_values, add_A), boundary_values, 0., lift);
    equation->add_thermal_load(*field, lift);
    auto F = parameters.problem.boundaries.load(field->space(), mapping, parameters.problem.body_force,
                                                equation->materials.axial());
    adamant::require_numbers(device.communicator(), "Problem/Body force, Traction or Pressure", F);
    work = Vector(device, F);
    load = Vector(device, adamant::transposed_product(field->space().owned_H(), equation->in_rows(std::move(F))));
    A    = field->system("A", add_A);
    A->take(adamant::stiffness_by_cells(device, field->field(), mapping, equation->materials, equation->products));
    solver = field->solver_for(*A, equation->name(),
                               [this](const auto &level) { return adamant::rigid_body_modes(level, mapping); });
    guess  = adamant::Extrapolation(device, parameters.time.extrapolation_order);
  }

  auto function(const std::string &key) const
  {
    auto f = adamant::parse_function<dim>("Problem/" + key, parameters.problem.functions.at(key), dim);
    f->set_time(time);
    return f;
  }

  // Returns a parameter's values at nodes, as `which` says, on the device.
  template <class Which>
  Vector values_of(const std::string &key, const Which &which) const
  {
    const auto values = nodal_values(field->space(), mapping, *function(key), which);
    adamant::require_numbers(device.communicator(), "Problem/" + key, values);
    return Vector(device, values);
  }

  void set_initial_values() override
  {
    field->nodal_values(values_of("Initial displacement", 0u), boundary_values, u);
    field->nodal_values(values_of("Initial velocity", unsigned(equation->coupled ? dim : 0)),
                        field->prescribed_vector(), equation->coupled ? w : v);
    if (equation->coupled)
      device.axpby(dt, w, 1., u);
  }

  // Computes rhs = E w + dt² F - C g at the new time; stationary: F - C g. The load of thermal stresses is part of C g.
  void compute_rhs() override
  {
    device.copy(lift, rhs);
    device.axpby((equation->stationary ? 1. : dt * dt) * load_factor(time), load, 1., rhs);
    if (!equation->stationary)
      {
        device.copy(u, w);
        if (!equation->coupled)
          device.axpby(dt, v, 1., w);
        device.multiply(1., E, w, 1., rhs);
      }
  }

  PendingResult solve_system() override
  {
    guess.predict(x);
    std::swap(u, u_old);
    const auto result = solver->launch(rhs, x, [this] {
      field->nodal_values(x, boundary_values, u);
      if (equation->coupled || equation->stationary)
        return;
      device.copy(u, v);
      device.axpby(-1. / dt, u_old, 1. / dt, v);
    });
    guess.keep(x);
    results->measure(work, u, step);
    return result;
  }

  void serialize(adamant::State &state) override
  {
    results->serialize(state);
    state.vector(u, *field, boundary_values);
    if (!equation->coupled)
      state.vector(v, *field, field->prescribed_vector());
    state.history(guess, device, field->space());
  }

  bool statistics_wait() const override // for energies and statistics
  {
    return parameters.output.energies_due(schedule, step) || !parameters.output.statistics.empty();
  }

  adamant::Energies energies()
  {
    const auto displacement = this->download(u), velocity = equation->coupled ? displacement : this->download(v);
    return results->energies(displacement, velocity, equation->coupled ? dim : 0, equation->coupled ? dt : 1.);
  }

  // Adds F . u, energies and displacements at points to a row of the statistics.
  void add_statistics(adamant::Statistics::Row &row) override
  {
    results->energy = parameters.output.energies_due(schedule, step) ? energies() : results->unknown;
    results->add_to(row, load_factor(time), step);
    if (!parameters.output.statistics.empty())
      results->add_statistics(row, this->download(u));
  }

  // Records sizes and results, and the error where the solution is known.
  void report() override
  {
    record["nodes"]         = field->space().n_global_dofs() / field->field().node_size();
    record["hanging_nodes"] = field->space().n_hanging() / field->field().node_size();
    record["formulation"]   = parameters.discretization.formulation;
    if (!parameters.problem.functions.at("Exact displacement").empty())
      this->report_l2_error(*field, u, *function("Exact displacement"));
    if (std::isnan(results->energy.strain)) // a checkpoint of a step without them, and no step since
      results->energy = energies();
    results->add_to(record, this->download(u), this->folder());
  }

  const Parameters                      &parameters;
  const double                           dt;
  const std::function<double(double)>    load_factor;
  std::string                            formulation; // of the system now
  std::optional<Formulation<dim>>        equation;
  std::optional<adamant::Unknown<dim>>   field; // u; coupled: u and dt v in each node
  std::unique_ptr<adamant::Form<dim>>    A;
  std::unique_ptr<adamant::LinearSolver> solver; // of A
  adamant::Matrix<double>                E;
  adamant::Extrapolation                 guess;
  Vector u, u_old, v, w, x, rhs, boundary_values; // coupled: u holds dt v too, and v nothing
  Vector work, load, lift; // F, for the work F . u; Hᵀ F in its rows; the load of thermal stresses - C g
  std::optional<adamant::ElasticResults<dim>> results;
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Elasticity>(
    argc, argv, "elasticity",
    "Solves linear elasticity on adaptive meshes with multigrid (Liebchen et al., Section 5.2).");
}
