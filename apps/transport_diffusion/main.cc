// Transport-diffusion on adaptive meshes in two or three dimensions (Liebchen et al., Section 5.1):
//
//   d_t theta - div(Lambda grad theta) + (b . grad) theta + r theta = f   in a domain, for times in (0,T].
//
// Lambda, b, r and f may depend on place and time. On parts of the boundary theta is prescribed, or the flux
// lambda d_n theta has a value q or -alpha (theta - theta_out). The default is the paper's problem in the unit square
// or cube, with data made from an exact solution. Nodal values are u = H x + B g: x the free unknowns, g(t) the
// boundary values. A time step solves A x = E w + S f + F - C g, all of them sparse products:
//
//   backward Euler:  A = M + dt K,       E = M,            w = u1
//   Crank-Nicolson:  A = M + dt/2 K,     E = M - dt/2 K,   w = u1,   f and F at both times
//   BDF2:            A = M + 2/3 dt K,   E = M,            w = 4/3 u1 - 1/3 u2
//
// where u1, u2 are the last two solutions. M is the mass matrix and K that of all terms in theta: in A at the end of
// the step, in E at its beginning. S f integrates f, and F the flux, times the factor of K in A. C is A acting on g. In
// the first step of BDF2, A is that of backward Euler. ScalarEquation (modules/scalar) makes the matrices.

#include "parameters.h"

#include "evaluation/derived_fields.h"
#include "frame/adaptivity.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "scalar/scalar_equation.h"
#include "scalar/scalar_quantities.h"
#include "solvers/extrapolation.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

using namespace dealii;
using namespace transport_diffusion;
using adamant::PendingResult;

template <int dim>
class TransportDiffusion : public adamant::TimeDependentProblem<dim>
{
public:
  TransportDiffusion(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file,
           parameters.discretization.degree)
    , parameters(parameters)
    , dt(parameters.time.step)
    , fe(parameters.discretization.degree)
    , guess(device, parameters.time.extrapolation_order)
  {}

private:
  using Base = adamant::TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::step, Base::time;

  void make_mesh() override
  {
    const auto &p = parameters.discretization;
    if (!parameters.mesh_file.make_coarse(*mesh))
      {
        GridGenerator::subdivided_hyper_cube(*mesh, p.coarse_cells, 0., 1., true); // a boundary id for each side
        for (const auto &cell : mesh->active_cell_iterators())
          cell->set_material_id(0); // deal.II also numbers its quarters
      }
    parameters.mesh_file.join_periodic(*mesh);
    adamant::refine_global(*mesh, p.refinements);
    adamant::refine_for(*parameters.problem.function_at_time<dim>("Initial values", 0.), *mesh, mapping, fe,
                        p.adaptive_cycles, p.refine_fraction, p.coarsen_fraction);
  }

  // Makes the data that do not depend on the time step: levels, constraints, positions, vectors.
  void setup_fields() override
  {
    solver.reset(); // of another mesh
    equation.reset();
    const auto             &problem = parameters.problem;
    const bool              supg    = parameters.discretization.supg;
    adamant::UnknownOptions options;
    options.n_points = parameters.discretization.quadrature;
    options.flags    = adamant::ScalarEquation<dim>::flags(fe.degree, supg);
    theta.emplace(*this, "theta", fe, problem.boundaries.dirichlet(*mesh), parameters.linear_solver, options);
    equation.emplace(device, *theta, mapping, problem.coefficients, problem.boundaries, supg, problem.has_source());
    if (problem.has_source())
      source = problem.source_values(device, *theta);
    boundary = problem.boundary_values<dim>(device, *theta);
    for (auto *vector : {&u, &u_old, &w, &x, &rhs})
      *vector = theta->vector();
    this->add_output(*theta, u);
    const auto *diffusion = &problem.coefficients.diffusion;
    this->add_output(*theta, u,
                     std::make_shared<const adamant::DerivedFields<dim>>(
                       parameters.output, adamant::scalar_quantities<dim>(diffusion, this->output_time)));
    evaluation.emplace(parameters.output, mapping,
                       std::vector<adamant::EvaluatedField<dim>>{{&theta->space(), {"theta"}}},
                       adamant::scalar_quantities<dim>(diffusion, time));
  }

  // Makes the system matrices of all levels, and on the finest one the matrices of the right-hand side.
  void assemble() override
  {
    const bool first = step == 0 && this->n_mesh_changes() == 0; // else also in a restart, whose step is not known yet
    scheme           = parameters.time.scheme == "bdf2" && first ? "backward_euler" : parameters.time.scheme;
    // A restart and a change of the mesh come after a step; the next one may update the matrices.
    equation->assemble(weights(), time + dt, time, scheme != parameters.time.scheme);
    solver = theta->solver_for(equation->A(), "time step");
    this->describe(*theta, equation->A(), *solver, parameters.time.extrapolation_order);
  }

  // The factors of K in A and in E.
  adamant::StepWeights weights() const
  {
    if (scheme == "crank_nicolson")
      return {0.5 * dt, 0.5 * dt};
    return {scheme == "bdf2" ? 2. / 3. * dt : dt, 0.};
  }

  void set_initial_values() override
  {
    auto initial = parameters.problem.initial_values<dim>(device, theta->nodes());
    device.copy(initial.at(0.), x);
    theta->nodal_values(x, boundary.at(0.), u);
  }

  // Computes rhs = E w + S f + F - C g at the new time.
  void compute_rhs() override
  {
    if (const bool second = step > 1 && scheme != parameters.time.scheme; second || equation->depends_on_time())
      this->timed("update", [&] { // A for another factor of K, or for another time
        scheme = second ? parameters.time.scheme : scheme;
        equation->update(weights(), time, time - dt);
        solver->update();
        device.synchronize();
        updates = equation->depends_on_time() ? updates + 1 : 1; // also where a restart does it again
      });
    if (scheme == "bdf2")
      {
        device.copy(u, w);
        device.axpby(-1. / 3., u_old, 4. / 3., w);
      }
    equation->multiply(scheme == "bdf2" ? w : u, boundary.at(time), rhs);
    for (const double t : {time, time - dt})
      if (t == time || scheme == "crank_nicolson")
        {
          if (parameters.problem.has_source())
            equation->add_source(weights().implicit_part, source.at(t), rhs);
          equation->add_boundary_load(weights().implicit_part, t, rhs);
        }
  }

  // Solves A x = rhs, from a guess that the last solutions give.
  PendingResult solve_system() override
  {
    guess.predict(x);
    std::swap(u, u_old);
    const auto result = solver->launch(rhs, x, [this] { theta->nodal_values(x, boundary.values(), u); });
    guess.keep(x);
    return result;
  }

  bool statistics_wait() const override { return parameters.output.any(); }

  void add_statistics(adamant::Statistics::Row &row) override
  {
    if (parameters.output.any())
      evaluation->add_to(row, {this->download(u).data()});
  }

  void serialize(adamant::State &state) override
  {
    state.scalar(updates);
    state.vector(u, *theta, boundary.at(time));
    state.vector(u_old, *theta, boundary.at((step - 1) * dt));
    state.history(guess, device, theta->space());
  }

  void report() override
  {
    if (parameters.problem.has_exact_solution())
      this->report_l2_error(*theta, u, *parameters.problem.function_at_time<dim>("Exact solution", time));
    this->record["updates"] = updates;
    evaluation->add_to(this->record, {this->download(u).data()}, this->folder());
  }

  const Parameters                           &parameters;
  const double                                dt;
  const FE_Q<dim>                             fe;
  std::optional<adamant::Unknown<dim>>        theta;
  std::optional<adamant::ScalarEquation<dim>> equation; // its A is that of `solver`
  std::optional<adamant::Evaluation<dim>>     evaluation;
  std::unique_ptr<adamant::LinearSolver>      solver;
  adamant::Vector<double>                     u, u_old, w, x, rhs;
  adamant::ValuesAtPoints                     source, boundary;
  adamant::Extrapolation                      guess;
  std::string                                 scheme;
  unsigned int                                updates = 0; // of A
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, TransportDiffusion>(
    argc, argv, "transport_diffusion",
    "Solves a transport-diffusion equation on adaptive meshes with multigrid (Liebchen et al., Section 5.1).");
}
