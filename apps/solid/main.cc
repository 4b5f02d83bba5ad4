// Solids at finite deformation, in equilibrium or in motion, in plane strain or three dimensions.
//
//   [rho d_tt u] - Div P = f   in the undeformed body,   P = d(W + U)/dF,   F = I + grad u,
//
// where u is prescribed on parts of the boundary; elsewhere P N = g - p cof F N (dead traction, follower pressure).
// W(I1, I2, J) and U(J) are stored energies by undeformed volume. A load factor of t multiplies f, g and p, and t goes
// from 0 to 1 in load steps. In each of them Newton's method finds nodal values u = H x + B g with
//
//   F_i(u) = ∫ P : grad φ_i + factor (∫ p φ_i . cof F N - ∫ f . φ_i - ∫ g . φ_i) = 0.
//
// Dynamics (modules/solid) takes time steps in place of load steps: such problems, with a term of inertia in F.
//
// FiniteDeformation (modules/solid) computes F and its tangent, which has a matrix on each level of the mesh, on the
// device. Multigrid on these matrices is the preconditioner of conjugate gradients. GMRES takes their place where the
// tangent is not symmetric, or not positive definite. Equilibrium is Newton's method.

#include "loads.h"
#include "parameters.h"
#include "results.h"

#include "fem/functions/points.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"
#include "solid/motion/dynamics.h"
#include "solid/motion/prescribed_motion.h"
#include "solid/newton/newton_history.h"
#include "solid/solid_results.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>

using namespace adamant;
using solid::Parameters;

template <int dim>
class Solid : public TimeDependentProblem<dim>
{
public:
  Solid(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh, parameters.discretization.degree)
    , parameters(parameters)
    , energies(parameters.problem.energies())
    , load_factor(parameters.problem.load_factor_of_time())
    , steps(parameters.time.steps())
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::schedule, Base::step, Base::time;

  void make_mesh() override { parameters.make(*mesh); }

  // Makes the levels, their constraints, and the values at points.
  void setup_fields() override
  {
    results.reset(); // of another mesh
    dynamics.reset();
    equilibrium.reset();
    solver.reset();
    deformation.reset();
    const auto                  lengths = extent(*mesh);
    const dealii::FESystem<dim> fe(dealii::FE_Q<dim>(parameters.discretization.degree), dim);
    UnknownOptions              options;
    options.coarsest_cells = parameters.coarsest_cells();
    unknown.emplace(*this, "displacement", fe, parameters.problem.boundaries.prescribed(fe, lengths),
                    parameters.linear_solver, options);
    parameters.problem.check_materials(unknown->space());
    parameters.problem.boundaries.check_supports(unknown->field(), mapping, lengths,
                                                 Springs<dim>(unknown->field(), mapping, {}, false),
                                                 parameters.time.stationary, false);
    deformation.emplace(device, *unknown, mapping, energies, parameters.discretization.projected(),
                        parameters.problem.follower_pressure.boundaries());
    equilibrium.emplace(device, *deformation, *unknown, parameters.linear_solver.options("tangent"),
                        parameters.newton.options(energies, lengths));
    require(!parameters.newton.nested || device.communicator().size() == 1, "Newton/Nested = true needs one rank");
    state = Vector<double>(device, deformation->n_state());
    boundary.emplace(device, *unknown, mapping, "Problem/Boundary displacement", parameters.problem.displacement);
    if (!parameters.time.stationary)
      {
        deformation->set_densities(parameters.problem.densities_of_materials());
        dynamics.emplace(device, *deformation, *unknown, *boundary, work, parameters.time.time_scheme(),
                         parameters.time.step);
        this->add_output(*unknown, dynamics->v(), {"velocity"});
      }
    u = (dynamics ? dynamics->state() : state).part(0, unknown->size());
    this->add_output(*unknown, u, {"displacement"});
    if (deformation->projected())
      of_files = std::make_shared<ProjectedValues<dim>>(unknown->space(), mapping);
    this->add_output(*unknown, u, solid_fields<dim>(parameters.output, energies, of_files));
  }

  // Files show the state of this call, perhaps beside the next step.
  std::vector<const Vector<double> *> output_vectors() const override
  {
    if (of_files)
      of_files->set(*deformation);
    return Base::output_vectors();
  }

  // Makes the load, the tangent and its solver, at rest.
  void assemble() override
  {
    auto F = solid::dead_load(parameters, unknown->space(), mapping);
    (void)boundary->at(dynamics ? 0. : 1.); // checks them before a file is written
    results.emplace(device, parameters, energies, unknown->space(), mapping, *deformation, F);
    work = Vector<double>(device, F);
    load = Vector<double>(device, transposed_product(unknown->space().owned_H(), std::move(F)));
    evaluate_residual();
    deformation->linearize(state);
    solver = make_solver();
    equilibrium->set_solver([this](bool first) -> LinearSolver & { return tangent_solver(first); });
    this->describe(*unknown, deformation->tangent(), *solver);
    if (step == 0)
      std::cout << notes_on(energies, parameters.discretization.degree, deformation->projected())
                << parameters.problem.follower_pressure.notes(parameters.problem.boundaries);
  }

  LinearSolver &tangent_solver(bool first)
  {
    solver->update(first);
    return *solver;
  }

  void set_initial_values() override
  {
    if (!dynamics)
      return;
    set_pressures(time);
    std::cout << dynamics->set_initial_values(parameters.problem.initial, load_factor(time), load,
                                              [this]() -> LinearSolver & { return tangent_solver(true); });
    evaluate_residual();
  }

  // Stresses, dilatations and forces then belong to the present state.
  void evaluate_residual()
  {
    set_pressures(time);
    if (dynamics)
      return dynamics->evaluate();
    Vector<double> r(device, deformation->n_state());
    deformation->residual(state, 0., load, r);
  }

  void set_pressures(double t)
  {
    const auto &pressure = parameters.problem.follower_pressure;
    deformation->set_pressures(t > 0. || dynamics ? pressure.at(t, load_factor(t)) :
                                                    std::vector<double>(pressure.boundaries().size(), 0.));
  }

  std::unique_ptr<LinearSolver> make_solver()
  {
    return unknown->solver_for(deformation->tangent(),
                               "tangent (largest K/mu = " + to_text(largest(energies, bulk_over_shear)) + ")",
                               [this](const auto &level) { return rigid_body_modes(level, mapping); });
  }

  double next_time() override { return steps.next(start = time); }

  // Takes one load step, or a part of it where Newton's method fails. Its tolerance refers to the load and the
  // reactions.
  PendingResult advance() override
  {
    const auto take  = [this] { return (newton = find_equilibrium(start == 0.)).steps; };
    const auto cause = [this] {
      note_what_is_unusual();
      return equilibrium->cause();
    };
    try
      {
        steps.take(start, time, take, cause);
      }
    catch (const SolverError &error)
      { // in the state before the step
        --step;
        time = start;
        evaluate_residual();
        this->write_last_state();
        throw equilibrium->cause().empty() ? parameters.problem.follower_pressure.explained(error) : error;
      }
    history.set(newton);
    schedule.n_steps = step + steps.left(time);
    return SolverResult{newton.iterations, newton.initial_residual, newton.final_residual};
  }

  // Under the loads and the prescribed displacements of this time, or of the time when forces balance in a time step.
  NewtonResult find_equilibrium(bool from_rest)
  {
    auto g    = boundary->at(time);
    symmetric = deformation->symmetric_with(parameters.problem.follower_pressure.kinds(), g);
    equilibrium->set_symmetric(symmetric && !parameters.time.conserves());
    const double t = dynamics ? dynamics->begin(start, time, g, state) : time;
    set_pressures(t);
    const auto result = this->timed("solve", [&] {
      if (!from_rest || !parameters.newton.nested)
        return equilibrium->solve(load_factor(t), load, g, state);
      auto guess =
        solid::nested_guess(parameters, energies, device, *unknown, mapping, *boundary, *deformation, time, symmetric);
      history.set(guess.coarser);
      const auto result = equilibrium->solve(load_factor(t), load, g, guess.state); // else the state stays at rest
      device.copy(guess.state, state);
      return result;
    });
    note_what_is_unusual();
    stable = equilibrium->stable().value_or(stable);
    if (result.steps > 0)
      history.set(*equilibrium, *deformation);
    if (dynamics)
      {
        dynamics->end(state, load_factor(t));
        evaluate_residual();
      }
    return result;
  }

  void note_what_is_unusual()
  {
    if (takes_cg())
      notes.print(equilibrium->stable() == false, !symmetric, equilibrium->negative_eigenvalues().value_or(0));
  }
  bool takes_cg() const { return parameters.linear_solver.options("").type == SolverType::cg; }

  void serialize(State &state) override
  {
    steps.serialize(state);
    history.serialize(state);
    state.scalar(stable);
    if (dynamics)
      dynamics->serialize(state, time);
    else
      deformation->serialize(state, this->state);
    if (!state.loading())
      return;
    schedule.n_steps = step + steps.left(time);
    evaluate_residual(); // for results of the state
    if (!state.changes_mesh())
      return;
    if (deformation->n_inverted() > 0.)
      throw SolverError("cells would invert on the new one (" + deformation->least_stretch() + ")");
    if (!dynamics)
      history.total += find_equilibrium(false).steps;
  }

  bool may_refuse_mesh() const override { return true; }

  void add_statistics(Statistics::Row &row) override
  {
    const double factor = load_factor(time), done = dynamics ? dynamics->work_of_load() : factor * device.dot(work, u);
    row.insert(row.end(), {{"load_factor", factor}, {"newton_steps", newton.steps}, {"halvings", steps.halvings}});
    if (parameters.newton.trust_region())
      row.insert(row.end(), {{"refusals", equilibrium->refusals()}});
    if (takes_cg() && parameters.problem.follower_pressure.empty() && !dynamics) // GMRES does not see it
      row.insert(row.end(), {{"stable", stable}});
    results->add_to(row, done, factor, u);
    if (dynamics)
      results->add_to(row, dynamics->results());
  }

  void report() override
  {
    history.add_to(record);
    results->add_to(record, this->download(u), this->folder());
  }

  const Parameters                     &parameters;
  const OfEntries<SolidEnergy>          energies;
  const std::function<double(double)>   load_factor;
  solid::LoadSteps                      steps;
  std::optional<Unknown<dim>>           unknown;
  std::optional<FiniteDeformation<dim>> deformation;
  std::optional<Equilibrium<dim>>       equilibrium;
  std::optional<PrescribedMotion<dim>>  boundary;
  std::optional<Dynamics<dim>>          dynamics; // with time steps
  std::optional<solid::Results<dim>>    results;
  std::unique_ptr<LinearSolver>         solver;   // of the tangent
  std::shared_ptr<ProjectedValues<dim>> of_files; // null: dilatations are not projected
  NewtonResult                          newton;   // of the last load step
  NewtonHistory                         history;
  Vector<double>                        state, u, work, load; // u: its part of the state; F on all DoFs; Hᵀ F
  double                                start     = 0.;
  bool                                  symmetric = true, stable = true; // the tangent; the last state
  solid::SolverNotes                    notes;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Solid>(argc, argv, "solid",
                                        "Finds equilibrium or motion of solids at finite deformation with multigrid.");
}
