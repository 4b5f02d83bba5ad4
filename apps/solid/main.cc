// Solids at finite deformation in equilibrium, in plane strain or three dimensions.
//
//   -Div P = f   in the undeformed body,   P = d(W + U)/dF,   F = I + grad u,
//
// where u is prescribed on parts of the boundary, and P N = g - p cof F N (dead traction, follower pressure) elsewhere.
// W(I1, I2, J) and U(J) are stored energies by undeformed volume. A load factor of t multiplies f, g and p, and t goes
// from 0 to 1 in load steps. In each of them Newton's method finds nodal values u = H x + B g with
//
//   F_i(u) = ∫ P : grad φ_i + factor (∫ p φ_i . cof F N - ∫ f . φ_i - ∫ g . φ_i) = 0.
//
// FiniteDeformation (modules/solid) computes F and its tangent, which has a matrix on each level of the mesh, on the
// device. The preconditioner of conjugate gradients is multigrid on these matrices. Equilibrium is Newton's method.

#include "load_steps.h"
#include "parameters.h"

#include "evaluation/evaluation.h"
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
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>

using namespace adamant;
using solid::Parameters;

template <int dim>
class Solid : public TimeDependentProblem<dim>
{
public:
  Solid(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), {}, parameters.mesh, parameters.discretization.degree)
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
    solver.reset(); // of another mesh
    const auto                  lengths = extent(*mesh);
    const dealii::FESystem<dim> fe(dealii::FE_Q<dim>(parameters.discretization.degree), dim);
    UnknownOptions              options;
    options.coarsest_cells = parameters.coarsest_cells();
    unknown.emplace(*this, "displacement", fe, parameters.problem.boundaries.prescribed(fe, lengths),
                    parameters.linear_solver, options);
    parameters.problem.material.check_materials(unknown->space().communicator(), materials_of(unknown->space()));
    parameters.problem.boundaries.check_supports(unknown->field(), mapping, lengths,
                                                 Springs<dim>(unknown->field(), mapping, {}, false), true, false);
    deformation.emplace(device, *unknown, mapping, energies, parameters.discretization.projected(),
                        parameters.problem.follower_pressure.boundaries());
    equilibrium.emplace(device, *deformation, *unknown, parameters.linear_solver.options("tangent"),
                        parameters.newton.options(largest(energies, bulk_over_shear)));
    state = Vector<double>(device, deformation->n_state());
    u     = state.part(0, unknown->size());
    this->add_output(*unknown, u, {"displacement"});
    if (deformation->projected())
      for (auto *values : {&of_files, &of_statistics})
        *values = std::make_shared<ProjectedValues<dim>>(unknown->space(), mapping);
    this->add_output(*unknown, u, solid_fields<dim>(parameters.output, energies, of_files));
    evaluation.emplace(parameters.output, mapping, std::vector<EvaluatedField<dim>>{{&unknown->space(), names()}},
                       solid_quantities<dim>(energies, of_statistics));
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
    const Vector<double> g(device, prescribed_values(1.)); // which checks them before a file is written
    work                 = Vector<double>(device, F);
    load                 = Vector<double>(device, transposed_product(unknown->space().owned_H(), std::move(F)));
    const bool symmetric = deformation->symmetric_with(parameters.problem.follower_pressure.kinds(), g);
    equilibrium->set_symmetric(symmetric);
    evaluate_residual(0.);
    deformation->linearize(state);
    solver = make_solver();
    equilibrium->set_solver([this]() -> LinearSolver & {
      if (parameters.linear_solver.interpolation == "harmonic") // which takes values of the matrices
        return *(with_new_interpolation = make_solver());
      solver->update();
      return *solver;
    });
    this->describe(*unknown, deformation->tangent(), *solver);
    if (step == 0)
      std::cout << notes_on(energies, parameters.discretization.degree, deformation->projected())
                << parameters.problem.follower_pressure.notes(parameters.problem.boundaries, symmetric);
  }

  // Stresses, dilatations and forces then belong to the present state, under the pressures of a time.
  void evaluate_residual(double t)
  {
    Vector<double> r(device, deformation->n_state());
    set_pressures(t);
    deformation->residual(state, 0., load, r);
  }

  void set_pressures(double t)
  {
    deformation->set_pressures(parameters.problem.follower_pressure.at(t, load_factor(t)));
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
      set_pressures(time);
      const Vector<double> g(device, prescribed_values(time));
      newton = this->timed("solve", [&] { return equilibrium->solve(load_factor(time), load, g, state); });
      return newton.steps;
    };
    const auto cause = [this] { return equilibrium->cause(); };
    try
      {
        steps.take(start, time, take, cause);
      }
    catch (const SolverError &error)
      { // in the state before the step
        --step;
        evaluate_residual(time = start);
        this->write_last_state();
        throw parameters.problem.follower_pressure.explained(error);
      }
    newton_steps += newton.steps;
    history.clear();
    for (const auto &one : newton.history)
      history.insert(history.end(), {one.tolerance, double(one.iterations), one.length, one.residual});
    schedule.n_steps = step + steps.left(time);
    return SolverResult{newton.iterations, newton.initial_residual, newton.final_residual};
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
    state.vector(u, unknown->space());
    auto of_cells = this->state.part(u.size(), this->state.size() - u.size());
    if (deformation->projected())
      state.vector(of_cells, StorageOrder{device.communicator(), {}});
    if (!state.loading())
      return;
    schedule.n_steps = step + steps.left(time);
    evaluate_residual(time); // for results of the state
  }

  // Adds the load step's results to a row of the statistics.
  void add_statistics(Statistics::Row &row) override
  {
    results             = deformation->results();
    const double factor = load_factor(time);
    row.insert(row.end(), {{"load_factor", factor},
                           {"newton_steps", newton.steps},
                           {"halvings", steps.halvings},
                           {"strain_energy", results.energy},
                           {"work_of_load", factor * device.dot(work, u)},
                           {"volume", results.volume},
                           {"least_J", results.least_J},
                           {"largest_J", results.most_J}});
    const auto u_here = this->download(u);
    const auto of_boundaries =
      resultants(unknown->space(), mapping, held(), deformation->forces_of_cells(), u_here.data());
    for (const auto &[id, resultant] : of_boundaries)
      {
        const std::string name = "boundary" + std::to_string(id);
        for (int d = 0; d < dim; ++d)
          row.emplace_back(name + "_force_" + "xyz"[d], resultant.force[d]);
        for (int d = dim == 2 ? 2 : 0; d < 3; ++d)
          row.emplace_back(name + "_moment_" + "xyz"[d], resultant.moment[d]);
      }
    if (of_statistics)
      of_statistics->set(*deformation);
    evaluation->add_to(row, {u_here.data()});
  }

  void report() override
  {
    results                = deformation->results();
    record["newton_steps"] = newton_steps;
    for (std::size_t k = 0; k < history.size(); k += 4)
      record["newton"].push_back({{"tolerance", history[k]},
                                  {"iterations", int(history[k + 1])},
                                  {"length", history[k + 2]},
                                  {"residual", history[k + 3]}});
    record["strain_energy"] = results.energy;
    record["least_J"]       = results.least_J;
    if (results.least_J < 0.6 &&
        largest(energies, [](const auto &energy) { return energy.kind == StoredEnergy::st_venant_kirchhoff; }) > 0.)
      std::cout << "note: J is " << results.least_J
                << " somewhere: st_venant_kirchhoff has no stiffness against inversion; take neo_hooke_compressible"
                << std::endl;
    if (of_statistics)
      of_statistics->set(*deformation);
    evaluation->add_to(record, {this->download(u).data()}, this->folder());
  }

  // Returns the boundaries where anything is prescribed.
  std::set<unsigned int> held() const
  {
    std::set<unsigned int> ids;
    for (const auto &[id, components] : parameters.problem.boundaries.dirichlet)
      if (parameters.mesh.given() || id < 2 * dim)
        ids.insert(id);
    return ids;
  }

  static std::vector<std::string> names()
  {
    const std::vector<std::string> all = {"u_x", "u_y", "u_z"};
    return {all.begin(), all.begin() + dim};
  }

  const Parameters                     &parameters;
  const OfEntries<SolidEnergy>          energies;
  const std::function<double(double)>   load_factor;
  solid::LoadSteps                      steps;
  std::optional<Unknown<dim>>           unknown;
  std::optional<FiniteDeformation<dim>> deformation;
  std::optional<Equilibrium<dim>>       equilibrium;
  std::optional<Evaluation<dim>>        evaluation;
  std::unique_ptr<LinearSolver>         solver, with_new_interpolation; // of the tangent
  std::shared_ptr<ProjectedValues<dim>> of_files, of_statistics;        // null: dilatations are not projected
  NewtonResult                          newton;                         // of the last load step
  std::vector<double>                   history; // of it: tolerance, iterations, length and residual of each step
  Vector<double>                        state, u, work, load; // u: its part of the state; F, for F . u; Hᵀ F
  double                                start = 0.;
  SolidResults                          results;
  int                                   newton_steps = 0;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Solid>(argc, argv, "solid",
                                        "Finds the equilibrium of solids at finite deformation with multigrid.");
}
