// Heat conduction with a conductivity that depends on the temperature, on an adaptive mesh: a matrix that changes with
// each step of Newton's method, on the device.
//
//   c d_t u - div(k grad u) = f   in a domain, for times in (0,T].
//
// c, k and f are expressions of u, place and time. On parts of the boundary u is prescribed, or the flux k d_n u is
// such an expression. BDF2 begins with a step of backward Euler; elements are FE_Q. Nodal values are u = H x + B g: x
// the free unknowns, g the prescribed values. Each time step solves F(u) = 0 for x by Newton's method,
//
//   F_i(u) = ∫ (c w - dt f) φ_i + dt ∫ k ∇u . ∇φ_i - dt ∫_Γ q φ_i,   w = a0 u + a1 u1 + a2 u2.
//
// Here u1, u2 are the last two solutions. NonlinearEquation (modules/scalar) computes F and its derivative J, which has
// a matrix on each level of the mesh. Derivatives with respect to u are made from the expressions. Picard's method
// takes all terms in J for constant.

#include "parameters.h"

#include "coefficients/values_at_points.h"
#include "evaluation/derived_fields.h"
#include "expressions/expressions.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "meshes/cube_parameters.h"
#include "scalar/nonlinear_equation.h"
#include "scalar/scalar_boundaries.h"
#include "scalar/scalar_quantities.h"
#include "solvers/newton.h"

#include <deal.II/fe/fe_q.h>

#include <memory>
#include <optional>
#include <string>

using namespace adamant;
using nonlinear_heat::Parameters;

template <int dim>
class NonlinearHeat : public TimeDependentProblem<dim>, public NonlinearProblem
{
public:
  NonlinearHeat(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file, parameters.degree)
    , parameters(parameters)
    , terms(parameters.terms())
    , dt(parameters.step)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::step, Base::time;

  void make_mesh() override
  {
    const auto initial = parse_function<dim>("Heat/Initial values", parameters.initial_values(), 1);
    parameters.make(*mesh, *initial, mapping);
  }

  // Makes the levels, their constraints, and the equation's values at points.
  void setup_fields() override
  {
    solver.reset(); // of another mesh
    equation.reset();
    unknown.emplace(*this, "u", dealii::FE_Q<dim>(parameters.degree), parameters.boundaries.dirichlet(*mesh),
                    parameters.linear_solver);
    boundary = parameters.boundaries.is_built_in() ?
                 values("Boundary values", parameters.exact_solution(), unknown->prescribed_nodes()) :
                 parameters.boundaries.values_at(device, unknown->space(), unknown->space().prescribed,
                                                 unknown->prescribed_nodes());
    for (Vector<double> *vector : {&u, &u_old, &u_older, &x, &w, &iterate})
      *vector = unknown->vector();
    equation.emplace(device, *unknown, mapping, terms, parameters.newton, parameters.products_of_levels());
    newton.emplace(device, *this, unknown->size());
    newton->options.method = parameters.newton ? "Newton's method" : "Picard's method";
    this->add_output(*unknown, u);
    const auto *k = parameters.output.wants("flux") ? &terms.conductivity : nullptr; // not every k has it in 3D
    this->add_output(
      *unknown, u,
      std::make_shared<const DerivedFields<dim>>(parameters.output, scalar_quantities<dim>(k, this->output_time)));
    evaluation.emplace(parameters.output, mapping, std::vector<EvaluatedField<dim>>{{&unknown->space(), {"u"}}},
                       scalar_quantities<dim>(k, time));
  }

  ValuesAtPoints values(const std::string &key, const std::string &text, const Array<double> &points) const
  {
    return {device, points.size() / dim, function_at_points<dim>(device, "Heat/" + key, text, 1, points),
            depends_on_time(text), "Heat/" + key};
  }

  // Makes J and its solver, at the initial values.
  void assemble() override
  {
    set_initial_values();
    equation->linearize(dt, dt, a0(), u, w);
    if (step == 0)
      equation->check_terms(terms);
    solver = unknown->solver_for(equation->jacobian(), "step of " + std::string(newton->options.method));
    this->describe(*unknown, equation->jacobian(), *solver);
  }

  void set_initial_values() override
  {
    device.copy(values("Initial values", parameters.initial_values(), unknown->nodes()).at(0.), x);
    unknown->nodal_values(x, boundary.at(0.), u);
    device.copy(u, u_old);
  }

  // Solves by Newton's method from the last step's x; its tolerance refers to F there.
  PendingResult advance() override
  {
    device.copy(u_old, u_older);
    device.copy(u, u_old);
    boundary.at(time);
    const auto result = newton->solve(x, {parameters.tolerance, int(parameters.max_steps), "time step"});
    unknown->nodal_values(x, boundary.values(), u);
    newton_steps += result.steps;
    return SolverResult{result.iterations, result.initial_residual, result.final_residual};
  }

  double a0() const { return step > 1 ? 1.5 : 1.; }

  // Computes the nodal values of x in `iterate`, and from them w.
  void difference(const Vector<double> &x)
  {
    unknown->nodal_values(x, boundary.values(), iterate);
    device.copy(iterate, w);
    device.axpby(step > 1 ? -2. : -1., u_old, a0(), w);
    if (step > 1)
      device.axpby(0.5, u_older, 1., w);
  }

  void residual(const Vector<double> &x, Vector<double> &r) override
  {
    this->timed("residual", [&] {
      difference(x);
      equation->residual(time, dt, iterate, w, r);
    });
  }

  // Computes J on all levels, and its solver; the parameters have chosen the kind of J.
  void linearize(const Vector<double> &x, Linearization) override
  {
    this->timed("update", [&] {
      difference(x);
      equation->linearize(time, dt, a0(), iterate, w);
      solver->update();
      device.synchronize();
    });
    ++updates;
  }

  SolverResult solve(const Vector<double> &r, Vector<double> &d, double) override
  {
    return this->timed("solve", [&] { return solver->solve(r, d); });
  }

  // Saves or loads the state after a step, for checkpoints and for a change of the mesh.
  void serialize(State &state) override
  {
    state.scalar(newton_steps);
    state.scalar(updates);
    state.vector(u, *unknown, boundary.at(time));
    state.vector(u_old, *unknown, boundary.at((step - 1.) * dt));
    state.unknowns(x, unknown->space());
  }

  void add_statistics(Statistics::Row &row) override
  {
    if (parameters.output.any())
      evaluation->add_to(row, {this->download(u).data()});
  }

  void report() override
  {
    if (parameters.has_exact_solution())
      {
        auto exact = parse_function<dim>("Heat/Exact solution", parameters.exact_solution(), 1);
        exact->set_time(time);
        this->report_l2_error(*unknown, u, *exact);
      }
    record["newton_steps"] = newton_steps;
    record["updates"]      = updates;
    evaluation->add_to(record, {this->download(u).data()}, this->folder());
  }

  const Parameters                     &parameters;
  const NonlinearTerms                  terms;
  const double                          dt;
  std::optional<Unknown<dim>>           unknown;
  std::optional<NonlinearEquation<dim>> equation;
  std::optional<Evaluation<dim>>        evaluation;
  std::unique_ptr<LinearSolver>         solver; // of its Jacobian
  std::optional<Newton>                 newton;
  Vector<double>                        u, u_old, u_older, x, w, iterate;
  ValuesAtPoints                        boundary;
  unsigned int                          newton_steps = 0, updates = 0;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, NonlinearHeat>(
    argc, argv, "nonlinear_heat",
    "Solves a heat equation whose terms depend on the temperature by Newton's method, on an adaptive mesh.");
}
