// An application to copy (docs/your_own_application.md): the heat equation with a reaction term on an adaptive mesh,
//
//   d_t u - kappa Laplace u + rho u = f   in (0,1)^dim x (0,T],   u = g on the boundary,
//
// by backward Euler and the elements FE_Q. Nodal values are u = H x + B g: x the free unknowns, g the boundary values;
// H also interpolates at hanging nodes. With the mass matrix M and the stiffness matrix K a time step solves
//
//   A x = M u_old + S f - C g,   A = M + dt (kappa K + rho M),
//
// sparse products all: S f integrates dt f from its values at quadrature points, C is A acting on g. See data.h, too.

#include "data.h"

#include "expressions/expressions.h"
#include "frame/program.h"
#include "frame/unknown.h"
#include "meshes/cube_parameters.h"

using namespace adamant;

// Section "Heat" of the parameter file. A is symmetric positive definite, so that conjugate gradients do.
struct Parameters : CubeParameters
{
  double kappa = 0.1, rho = 1.;

  Parameters()
    : CubeParameters("/Heat", 3, SolverType::cg)
  {
    add_parameter("Conductivity", kappa, "kappa", prm, dealii::Patterns::Double(0.));
    add_parameter("Reaction", rho, "rho", prm, dealii::Patterns::Double(0.));
  }
};

template <int dim>
class Heat : public TimeDependentProblem<dim>
{
public:
  Heat(const Parameters &parameters, const Device &device, Run &run)
    : TimeDependentProblem<dim>(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file)
    , parameters(parameters)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::time;

  static heat::Exact<dim> exact(double t) { return {t}; }

  void make_mesh() override { parameters.make(*mesh, *dealii_function<dim>(exact(0.)), mapping); }

  // Makes the levels, their constraints, and the points where equation data are evaluated.
  void setup_fields() override
  {
    unknown.emplace(*this, "u", dealii::FE_Q<dim>(parameters.degree), all_boundaries(*mesh), parameters.linear_solver);
    source   = functor_at_points<dim>(device, unknown->quadrature_points(), [this](double t) {
      return heat::Source<dim>{t, parameters.kappa, parameters.rho};
    });
    boundary = functor_at_points<dim>(device, unknown->prescribed_nodes(), exact);
    for (Vector<double> *vector : {&u, &x, &rhs})
      *vector = unknown->vector();
    this->add_output(*unknown, u);
  }

  // Makes A on all levels, and on the finest one the matrices of the right-hand side.
  void assemble() override
  {
    const double dt          = parameters.step;
    const auto   combination = [](double mass, double stiffness) {
      return integral<dim>([=](const auto &cell, auto i, auto j, auto q) {
        return mass * cell.value(i, q) * cell.value(j, q) + stiffness * (cell.gradient(i, q) * cell.gradient(j, q));
      });
    };
    const auto system = combination(1. + dt * parameters.rho, dt * parameters.kappa);
    const auto load   = integral<dim>([dt](const auto &cell, auto i, auto q) { return dt * cell.value(i, q); });
    A                 = unknown->system("A", system);
    solver            = unknown->solver_for(*A, "time step");
    M                 = unknown->matrix("M", ColumnKind::nodal_values, combination(1., 0.));
    C                 = unknown->matrix("C", ColumnKind::prescribed_values, system);
    S                 = unknown->matrix("S", ColumnKind::quadrature_points, load);
    this->describe(*unknown, *A, *solver);
  }

  void set_initial_values() override
  {
    device.copy(functor_at_points<dim>(device, unknown->nodes(), exact).at(0.), x);
    unknown->nodal_values(x, boundary.at(0.), u);
  }

  // Computes rhs = M u + S f - C g with f and g at the new time.
  void compute_rhs() override
  {
    device.multiply(1., M, u, 0., rhs);
    device.multiply(1., S, source.at(time), 1., rhs);
    device.multiply(-1., C, boundary.at(time), 1., rhs);
  }

  // Solves A x = rhs; the last step's x is the initial guess.
  PendingResult solve_system() override
  {
    return solver->launch(rhs, x, [this] { unknown->nodal_values(x, boundary.values(), u); });
  }

  // Saves or loads the state after a step: for checkpoints, and to carry it to a new mesh.
  void serialize(State &state) override
  {
    state.vector(u, *unknown, boundary.at(time));
    state.unknowns(x, unknown->space());
  }

  void report() override { this->report_l2_error(*unknown, u, *dealii_function<dim>(exact(time))); }

  const Parameters             &parameters;
  std::optional<Unknown<dim>>   unknown;
  std::unique_ptr<Form<dim>>    A;
  std::unique_ptr<LinearSolver> solver; // of A
  Matrix<double>                M, S, C;
  Vector<double>                u, x, rhs;
  ValuesAtPoints                source, boundary;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Heat>(
    argc, argv, "template", "Solves the heat equation with a reaction term on an adaptive mesh: a program to copy.");
}
