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
// FiniteDeformation computes F and its tangent, which has a matrix on each level of the mesh, on the device. Multigrid
// on these is the preconditioner of conjugate gradients. GMRES takes their place where the tangent is not symmetric, or
// not positive definite. Equilibrium is Newton's method.

#include "loads.h"
#include "parameters.h"
#include "results.h"

#include "fem/functions/points.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/signals.h"
#include "frame/unknown.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"
#include "solid/motion/dynamics.h"
#include "solid/motion/prescribed_motion.h"
#include "solid/newton/newton_history.h"
#include "solid/newton/solver_notes.h"
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
    , start(run.continues() ? run.checkpoint().header.time : 0.)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::schedule, Base::step, Base::time;

  void make_mesh() override { parameters.make(*mesh); }

  // Makes the levels, their constraints, and the values at points.
  void setup_fields() override
  {
    results.reset(); // of another mesh
    symmetric.reset();
    dynamics.reset();
    equilibrium.reset();
    solver.reset();
    deformation.reset();
    const auto                  lengths = extent(*mesh);
    const dealii::FESystem<dim> fe(dealii::FE_Q<dim>(parameters.discretization.degree), dim);
    unknown.emplace(*this, "displacement", fe, parameters.problem.boundaries.prescribed(fe, lengths),
                    parameters.linear_solver, UnknownOptions{0, parameters.coarsest_cells()});
    solid::check_on_mesh(parameters, *unknown, mapping);
    deformation.emplace(device, *unknown, mapping, energies, parameters.discretization.projected(),
                        parameters.problem.follower_pressure.boundaries());
    equilibrium.emplace(device, *deformation, *unknown, parameters.linear_solver.options("tangent"),
                        parameters.newton.options(energies, lengths, parameters.linear_solver.options("").precision));
    equilibrium->set_parts([this](const char *name, const auto &work) { this->timed(name, work); });
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
    const auto F = solid::dead_load(parameters, unknown->space(), mapping);
    if (step == 0) // before a file is written
      solid::check_loads(parameters, start, *boundary);
    results.emplace(device, parameters, energies, unknown->space(), mapping, *deformation, F);
    work = Vector<double>(device, F);
    load = Vector<double>(device, transposed_product(unknown->space().owned_H(), F));
    evaluate_residual();
    if (dynamics)
      dynamics->prepare_tangent();
    deformation->linearize(state);
    solver = unknown->solver_for(deformation->tangent(),
                                 "tangent (largest K/mu = " + to_text(largest(energies, bulk_over_shear)) + ")",
                                 [this](const auto &level) { return rigid_body_modes(level, mapping); });
    equilibrium->set_solver([this](bool first) -> LinearSolver & { return tangent_solver(first); });
    if (this->folder().empty()) // --dry-run: a body with strains has larger matrices and files
      deformation->linearize_strained(state), tangent_solver(true);
    this->describe(*unknown, deformation->tangent(), *solver);
    if (step == 0)
      std::cout << notes_on(energies, parameters.discretization.degree, deformation->projected())
                << parameters.problem.follower_pressure.notes(parameters.problem.boundaries);
  }

  LinearSolver &tangent_solver(bool first)
  {
    this->timed("update", [&] { solver->update(first); });
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
    set_pressures(step == 0 ? start : time); // a checkpoint's set-up comes before its steps
    dynamics ? dynamics->evaluate() : deformation->evaluate(state);
  }

  void set_pressures(double t) { deformation->set_pressures(solid::pressures(parameters, t, load_factor)); }

  double next_time() override { return steps.next(start = time); }

  // Takes one load step, or a part of it where Newton's method fails.
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
      {
        keep_last_state();
        throw SolverError(parameters.problem.follower_pressure.explained(error, equilibrium->cause()));
      }
    catch (const InputError &) // an expression of t
      {
        keep_last_state();
        throw;
      }
    history.set(newton);
    schedule.n_steps = step + steps.left(time);
    let_signals_wait(true); // also in a run that began with one step
    return SolverResult{newton.iterations, newton.initial_residual, newton.final_residual};
  }

  void keep_last_state() // before a step that has failed
  {
    --step;
    time = start;
    evaluate_residual();
    results->note_on_compression();
    this->write_last_state();
  }

  // Under the loads and the prescribed displacements of this time, or of the time when forces balance in a time step.
  NewtonResult find_equilibrium(bool from_rest)
  {
    auto g = this->timed("rhs", [&] { return boundary->at(time); });
    if (!symmetric || boundary->moves())
      symmetric = deformation->symmetric_with(parameters.problem.follower_pressure.kinds(), g);
    equilibrium->set_symmetric(*symmetric && !parameters.time.conserves());
    const double t = dynamics ? dynamics->begin(start, time, g, state) : time;
    set_pressures(t);
    const auto result = this->timed("solve", [&] {
      return from_rest && parameters.newton.nested ? solve_nested(g) :
                                                     equilibrium->solve(load_factor(t), load, g, state);
    });
    note_what_is_unusual();
    stable = equilibrium->stable().value_or(stable);
    if (result.steps > 0)
      history.set(*equilibrium, *deformation);
    if (dynamics)
      {
        set_pressures(time);
        dynamics->end(state, load_factor(t));
      }
    return result;
  }

  // The state stays at rest unless the finest mesh has one, too.
  NewtonResult solve_nested(const Vector<double> &g)
  {
    auto guess =
      solid::nested_guess(parameters, energies, device, *unknown, mapping, *boundary, *deformation, time, *symmetric);
    history.set(guess.coarser);
    const auto result = equilibrium->solve(load_factor(time), load, g, guess.state);
    device.copy(guess.state, state);
    return result;
  }

  void note_what_is_unusual() { notes.print(*equilibrium, symmetric.value_or(true), takes_cg()); }
  bool takes_cg() const { return parameters.linear_solver.options("").type == SolverType::cg; }

  void serialize(State &state) override
  {
    steps.serialize(state);
    history.serialize(state);
    state.scalar(stable);
    bool pressed = !parameters.problem.follower_pressure.empty(), was = pressed;
    state.scalar(was);
    dynamics ? dynamics->serialize(state, time) : deformation->serialize(state, {&this->state});
    if (!state.loading())
      return;
    require(pressed == was, "--restart: Problem/Follower pressure decides on columns, and cannot come or go");
    schedule.n_steps = step + steps.left(time);
    evaluate_residual(); // for results of the state
    if (!state.changes_mesh())
      return;
    if (deformation->n_inverted() > 0.)
      throw SolverError("cells would invert on the new one (" + deformation->least_stretch() + ")");
    history.total += dynamics ? dynamics->restore_volumes(*equilibrium) : find_equilibrium(false).steps;
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
  Vector<double>                        state, u, work, load; // u: its part of the state; F; Hᵀ F
  double                                start;                // of the next load step, or of the last one
  bool                                  stable = true;        // the last state
  std::optional<bool>                   symmetric;            // the tangent, on this mesh
  SolverNotes                           notes;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Solid>(argc, argv, "solid",
                                        "Finds equilibrium or motion of solids at finite deformation with multigrid.");
}
