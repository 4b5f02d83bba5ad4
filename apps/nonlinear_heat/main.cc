// Heat conduction with a conductivity that depends on the temperature, on an adaptive mesh: a matrix that changes with
// each step of Newton's method, on the device.
//
//   d_t u - div(k(u) grad u) = f   in (0,1)^dim x (0,T],   u = g on the boundary,   k(u) = kappa (1 + beta u²),
//
// by BDF2, which begins with a step of backward Euler, and the elements FE_Q. Nodal values are u = H x + B g: x the
// free unknowns, g the boundary values; H also interpolates at hanging nodes. Each time step solves
//
//   F(x) = M (a0 u + a1 u1 + a2 u2) + dt K(u) u - S f = 0
//
// for x by Newton's method. Here u1, u2 are the last two solutions, and the mass matrix M and the matrix K(u) of
// diffusion act on all nodal values; S f integrates dt f. The derivative J has a matrix on each level of the mesh:
// there u has the values that the finest level has at the nodes. Picard's method takes k(u) in J for constant. Equation
// data and kernels: data.h; for the GPU data.cu.

#include "data.h"

#include "expressions/expressions.h"
#include "expressions/values_at_points.h"
#include "fem/forms/assembly_tables.h"
#include "fem/functions/coarser_values.h"
#include "frame/parameters/cube_parameters.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "solvers/newton.h"

#include <deal.II/fe/fe_q.h>

#include <memory>
#include <optional>
#include <vector>

using namespace adamant;
using namespace nonlinear_heat;

// Section "Heat" of the parameter file.
struct Parameters : CubeParameters
{
  unsigned int max_steps = 20;
  Conductivity conductivity{0.1, 1.};
  bool         newton    = true;
  double       tolerance = 1e-8;

  Parameters()
    : CubeParameters("/Heat", 2, SolverType::gmres, 64) // each new J needs the inverse of its coarsest level
  {
    using namespace dealii::Patterns;
    add_parameter("Conductivity", conductivity.kappa, "kappa", prm, Double(0.));
    add_parameter("Growth of conductivity", conductivity.beta, "beta: k(u) = kappa (1 + beta u²)", prm, Double(0.));
    add_parameter("Newton", newton, "Newton's method; else Picard's, which takes k for constant", prm);
    add_parameter("Newton tolerance", tolerance, "‖F‖ at the end over ‖F‖ for the solution before the step", prm,
                  Double(1e-15, 0.1));
    add_parameter("Newton steps", max_steps, "Most steps in each time step", prm, Integer(1));
  }
};

template <int dim>
class NonlinearHeat : public TimeDependentProblem<dim>, public NonlinearProblem
{
public:
  NonlinearHeat(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file)
    , parameters(parameters)
    , dt(parameters.step)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::step, Base::time;

  void make_mesh() override { parameters.make(*mesh, *dealii_function<dim>(exact(0.)), mapping); }

  // Makes the levels, their constraints, and the points where equation data are evaluated.
  void setup_fields() override
  {
    unknown.emplace(*this, "u", dealii::FE_Q<dim>(parameters.degree), all_boundaries(*mesh), parameters.linear_solver);
    source   = functor_at_points<dim>(device, unknown->quadrature_points(), [this](double t) {
      return Source<dim>{t, parameters.conductivity};
    });
    boundary = functor_at_points<dim>(device, unknown->prescribed_nodes(), exact);
    for (Vector<double> *vector : {&u, &u_old, &u_older, &x, &w, &iterate})
      *vector = unknown->vector();
    u_on_levels.emplace(device, unknown->field());
    levels.clear();
    k.clear();
    fluxes.clear();
    for (std::size_t l = 0; l < unknown->field().n_levels(); ++l)
      {
        levels.emplace_back(device, unknown->field().space(l), mapping, unknown->quadrature);
        k.emplace_back(device, levels[l].n_points());
        fluxes.emplace_back(device, parameters.newton ? levels[l].n_points() * dim : 1);
      }
    newton.emplace(device, *this, unknown->size());
    newton->options.method = parameters.newton ? "Newton's method" : "Picard's method";
    this->add_output(*unknown, u);
  }

  // Makes M and S, and the patterns of K and J with values for u = 0.
  void assemble() override
  {
    const auto mass =
      integral<dim>([](const auto &cell, auto i, auto j, auto q) { return cell.value(i, q) * cell.value(j, q); });
    const auto load = integral<dim>([this](const auto &cell, auto i, auto q) { return dt * cell.value(i, q); });
    M               = unknown->matrix("M", ColumnKind::nodal_values, mass);
    S               = unknown->matrix("S", ColumnKind::quadrature_points, load);
    K_form          = unknown->form("K", ColumnKind::nodal_values, nullptr);
    J               = unknown->system("J", nullptr);
    assemble_J(x);
    assemble_K();
    K      = make_matrix(device, *K_form);
    solver = unknown->solver_for(*J, "step of " + std::string(newton->options.method));
    this->describe(*unknown, *J, *solver);
  }

  void set_initial_values() override
  {
    device.copy(functor_at_points<dim>(device, unknown->nodes(), exact).at(0.), x);
    unknown->nodal_values(x, boundary.at(0.), u);
    device.copy(u, u_old);
  }

  // Solves by Newton's method from the last step's x; its tolerance refers to F there.
  PendingResult advance() override
  {
    device.copy(u_old, u_older);
    device.copy(u, u_old);
    boundary.at(time);
    source.at(time);
    const auto result = newton->solve(x, {parameters.tolerance, int(parameters.max_steps), "time step"});
    unknown->nodal_values(x, boundary.values(), u);
    newton_steps += result.steps;
    return SolverResult{result.iterations, result.initial_residual, result.final_residual};
  }

  double a0() const { return step > 1 ? 1.5 : 1.; }

  void residual(const Vector<double> &x, Vector<double> &r) override
  {
    this->timed("residual", [&] { compute_residual(x, r); });
  }

  // Computes r = -F(x).
  void compute_residual(const Vector<double> &x, Vector<double> &r)
  {
    unknown->nodal_values(x, boundary.values(), iterate);
    device.copy(iterate, w);
    device.axpby(step > 1 ? -2. : -1., u_old, a0(), w);
    if (step > 1)
      device.axpby(0.5, u_older, 1., w);
    assemble_K();
    update_matrix(*K_form, K);
    device.multiply(-1., M, w, 0., r);
    device.multiply(-1., K, iterate, 1., r);
    device.multiply(1., S, source.values(), 1., r);
  }

  // Computes J on all levels, and its solver; the parameters have chosen the kind of J.
  void linearize(const Vector<double> &x, Linearization) override
  {
    this->timed("update", [&] {
      assemble_J(x);
      solver->update();
      device.synchronize();
    });
    ++updates;
  }

  void assemble_J(const Vector<double> &x)
  {
    unknown->nodal_values(x, boundary.values(), iterate);
    u_on_levels->update(iterate);
    J->update(device, [this](std::size_t l) {
      const auto   &at   = levels[l];
      double *const flux = parameters.newton ? fluxes[l].data() : nullptr;
      device.for_each(at.n_points(),
                      AtQuadraturePoints<dim, Coefficients<dim>>{
                        at.view(), (*u_on_levels)[l].data(), 1, 0, {parameters.conductivity, k[l].data(), flux}});
      return System<dim>{a0(), dt, k[l].data(), flux};
    });
  }

  // Computes K at the nodal values of `iterate`, on the finest level.
  void assemble_K()
  {
    const auto &at = levels.back();
    u_on_levels->update_finest(iterate);
    const double *u_h = (*u_on_levels)[levels.size() - 1].data();
    device.for_each(at.n_points(), AtQuadraturePoints<dim, Coefficients<dim>>{
                                     at.view(), u_h, 1, 0, {parameters.conductivity, k.back().data(), nullptr}});
    K_form->update(device, [this](std::size_t) { return System<dim>{0., dt, k.back().data(), nullptr}; });
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

  void report() override
  {
    this->report_l2_error(*unknown, u, *dealii_function<dim>(exact(time)));
    record["newton_steps"] = newton_steps;
    record["updates"]      = updates;
  }

  static Exact<dim> exact(double t) { return {t}; }

  const Parameters                  &parameters;
  const double                       dt;
  std::optional<Unknown<dim>>        unknown;
  std::optional<InjectedValues<dim>> u_on_levels;
  std::vector<QuadratureData<dim>>   levels;
  std::unique_ptr<Form<dim>>         J, K_form;
  std::unique_ptr<LinearSolver>      solver; // of J
  std::optional<Newton>              newton;

  std::vector<Vector<double>> k, fluxes; // k(u) and k'(u) grad u at the quadrature points of each level
  Matrix<double>              M, S, K;
  Vector<double>              u, u_old, u_older, x, w, iterate;
  ValuesAtPoints              source, boundary;
  unsigned int                newton_steps = 0, updates = 0;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, NonlinearHeat>(
    argc, argv, "nonlinear_heat",
    "Solves a heat equation whose conductivity depends on the temperature by Newton's method, on an adaptive mesh.");
}
