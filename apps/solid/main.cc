// Solids at finite deformation in equilibrium, in plane strain or three dimensions.
//
//   -Div P = f   in the undeformed body,   P = d(W + U)/dF,   F = I + grad u,
//
// where u is prescribed on parts of the boundary, and P N = g (dead traction) elsewhere. W(I1, I2, J) and U(J) are
// stored energies by undeformed volume. A load factor of t multiplies f and g, and t goes from 0 to 1 in load steps. In
// each of them Newton's method finds nodal values u = H x + B g with
//
//   F_i(u) = ∫ P : grad φ_i - factor (∫ f . φ_i + ∫ g . φ_i) = 0.
//
// FiniteDeformation (modules/solid) computes F and its tangent, which has a matrix on each level of the mesh, on the
// device. The preconditioner of conjugate gradients is multigrid on these matrices. Equilibrium is Newton's method.

#include "load_steps.h"
#include "parameters.h"
#include "results.h"

#include "expressions/values_at_points.h"
#include "fem/functions/points.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "solid/equilibrium.h"
#include "solid/finite_deformation.h"
#include "solid/solid_results.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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
    , steps(parameters.time.load_steps)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::schedule, Base::step, Base::time;

  void make_mesh() override { parameters.make(*mesh); }

  // Makes the levels, their constraints, and the values at points.
  void setup_fields() override
  {
    results.reset(); // of another mesh
    equilibrium.reset();
    solver.reset();
    with_new_interpolation.reset();
    deformation.reset();
    const auto                  lengths = extent(*mesh);
    const dealii::FESystem<dim> fe(dealii::FE_Q<dim>(parameters.discretization.degree), dim);
    UnknownOptions              options;
    options.coarsest_cells = parameters.coarsest_cells();
    unknown.emplace(*this, "displacement", fe, parameters.problem.boundaries.prescribed(fe, lengths),
                    parameters.linear_solver, options);
    parameters.problem.material.check_materials(unknown->space().communicator(), materials_of(unknown->space()));
    parameters.problem.boundaries.check_supports(unknown->field(), mapping, lengths,
                                                 Springs<dim>(unknown->field(), mapping, {}, false), true, false);
    deformation.emplace(device, *unknown, mapping, energies, parameters.discretization.projected());
    equilibrium.emplace(device, *deformation, *unknown, parameters.linear_solver.options("tangent"),
                        parameters.newton.options(largest(energies, bulk_over_shear)));
    state = Vector<double>(device, deformation->n_state());
    u     = state.part(0, unknown->size());
    this->add_output(*unknown, u, {"displacement"});
    if (deformation->projected())
      of_files = std::make_shared<ProjectedValues<dim>>(unknown->space(), mapping);
    this->add_output(*unknown, u, solid_fields<dim>(parameters.output, energies, of_files));
    results.emplace(parameters, energies, unknown->space(), mapping, *deformation);
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
    auto F = parameters.problem.boundaries.load(unknown->space(), mapping, parameters.problem.body_force, false);
    require_numbers(device.communicator(), "Problem/Body force or Traction", F);
    (void)prescribed_values(1.); // checks them before a file is written
    work = Vector<double>(device, F);
    load = Vector<double>(device, transposed_product(unknown->space().owned_H(), std::move(F)));
    Vector<double> r(device, deformation->n_state());
    deformation->residual(state, 0., load, r);
    deformation->linearize(state);
    solver = make_solver();
    equilibrium->set_solver([this](bool first) -> LinearSolver & {
      if (parameters.linear_solver.interpolation == "harmonic") // which takes values of the matrices
        return *(with_new_interpolation = make_solver());
      solver->update(first);
      return *solver;
    });
    this->describe(*unknown, deformation->tangent(), *solver);
    if (step == 0)
      std::cout << notes_on(energies, parameters.discretization.degree, deformation->projected());
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
    const auto take = [this] {
      newton = find_equilibrium();
      return newton.steps;
    };
    const auto cause = [this] {
      const auto where = equilibrium->inverted();
      return where.empty() ? std::string() : "cells would invert (" + where + "): ";
    };
    try
      {
        steps.take(start, time, take, cause);
      }
    catch (const SolverError &)
      { // in the state before the step
        --step;
        time = start;
        Vector<double> r(device, deformation->n_state());
        deformation->residual(state, 0., load, r); // stresses and dilatations of files belong to it
        this->write_last_state();
        throw;
      }
    newton_steps += newton.steps;
    history.clear();
    for (const auto &one : newton.history)
      history.insert(history.end(), {one.tolerance, double(one.iterations), one.length, one.residual});
    schedule.n_steps = step + steps.left(time);
    return SolverResult{newton.iterations, newton.initial_residual, newton.final_residual};
  }

  // Under the loads and the prescribed displacements of this time.
  NewtonResult find_equilibrium()
  {
    const Vector<double> g(device, prescribed_values(time));
    const auto result = this->timed("solve", [&] { return equilibrium->solve(load_factor(time), load, g, state); });
    if (!equilibrium->stable() && !std::exchange(noted, true))
      std::cout << "note: the tangent is not positive definite: the state is not stable, or buckled" << std::endl;
    return result;
  }

  Array<double> prescribed_values(double t) const
  {
    const auto &text = parameters.problem.displacement;
    const auto  f    = parse_function<dim>("Problem/Boundary displacement", text, dim);
    f->set_time(t);
    auto values = nodal_values(unknown->space(), mapping, *f, unknown->space().prescribed);
    require_numbers(device.communicator(), "Problem/Boundary displacement", values);
    return values;
  }

  void serialize(State &state) override
  {
    steps.serialize(state);
    state.scalar(newton_steps);
    state.scalar(history);
    deformation->serialize(state, this->state);
    if (!state.loading())
      return;
    schedule.n_steps = step + steps.left(time);
    Vector<double> r(device, deformation->n_state());
    deformation->residual(this->state, 0., load, r); // for results of the state
    if (!state.changes_mesh())
      return;
    if (deformation->n_inverted() > 0.)
      throw SolverError("cells would invert on another one (" + deformation->least_stretch() + ")");
    newton_steps += find_equilibrium().steps;
  }

  bool may_refuse_mesh() const override { return true; }

  // Adds the load step's results to a row of the statistics.
  void add_statistics(Statistics::Row &row) override
  {
    const double factor = load_factor(time);
    row.insert(row.end(), {{"load_factor", factor}, {"newton_steps", newton.steps}, {"halvings", steps.halvings}});
    if (parameters.linear_solver.options("").type == SolverType::cg) // other methods do not see it
      row.insert(row.end(), {{"stable", equilibrium->stable()}});
    results->add_to(row, factor * device.dot(work, u), this->download(u));
  }

  void report() override
  {
    record["newton_steps"] = newton_steps;
    for (std::size_t k = 0; k < history.size(); k += 4)
      record["newton"].push_back({{"tolerance", history[k]},
                                  {"iterations", int(history[k + 1])},
                                  {"length", history[k + 2]},
                                  {"residual", history[k + 3]}});
    results->add_to(record, this->download(u), this->folder());
  }

  const Parameters                     &parameters;
  const OfEntries<StoredEnergy>         energies;
  const std::function<double(double)>   load_factor;
  solid::LoadSteps                      steps;
  std::optional<Unknown<dim>>           unknown;
  std::optional<FiniteDeformation<dim>> deformation;
  std::optional<Equilibrium<dim>>       equilibrium;
  std::optional<solid::Results<dim>>    results;
  std::unique_ptr<LinearSolver>         solver, with_new_interpolation; // of the tangent
  std::shared_ptr<ProjectedValues<dim>> of_files;                       // null: dilatations are not projected
  NewtonResult                          newton;                         // of the last load step
  std::vector<double>                   history; // of it: tolerance, iterations, length and residual of each step
  Vector<double>                        state, u, work, load; // u: its part of the state; F, for F . u; Hᵀ F
  double                                start        = 0.;
  int                                   newton_steps = 0;
  bool                                  noted        = false; // that a state is not stable
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Solid>(argc, argv, "solid",
                                        "Finds the equilibrium of solids at finite deformation with multigrid.");
}
