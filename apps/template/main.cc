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

#include "expressions/functor_at_points.h"
#include "frame/adaptive_mesh.h"
#include "frame/parameters/mesh_file.h"
#include "frame/program.h"
#include "frame/time_dependent_problem.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <memory>
#include <optional>

using namespace adamant;

// Section "Heat" of the parameter file, with the end time and the time step, and section "Linear solver".
struct Parameters : TimeParameters
{
  unsigned int dimension = 2, degree = 1, refinements = 4, adaptive_cycles = 2;
  double       kappa = 0.1, rho = 1.;
  // A is symmetric positive definite, so conjugate gradients do. A transport term would need gmres.
  LinearSolverParameters linear_solver{LinearSolverOptions{SolverType::cg}};
  AdaptivityParameters   adaptivity{{"u"}};
  MeshFileParameters     mesh_file{"; empty: the unit square or cube"};

  Parameters()
    : TimeParameters(1., 0.05, "/Heat")
  {
    using namespace dealii::Patterns;
    add_parameter("Dimension", dimension, "Of the unit square or cube: 2 or 3", prm, Integer(2, 3));
    add_parameter("Degree", degree, "Of the finite elements FE_Q", prm, Integer(1, 3));
    add_parameter("Refinements", refinements, "h = 2^-n for n uniform refinements", prm, Integer(0, 10));
    add_parameter("Adaptive cycles", adaptive_cycles, "Further ones where the initial values are least resolved", prm,
                  Integer(0, 10));
    add_parameter("Conductivity", kappa, "kappa", prm, Double(0.));
    add_parameter("Reaction", rho, "rho", prm, Double(0.));
    add_output_interval(5);
  }

  unsigned int dim() const { return dimension; }
  void         check() const // what no single parameter's pattern can tell
  {
    TimeParameters::check();
    linear_solver.require_multigrid();
    adaptivity.check(dimension);
    mesh_file.check(dimension);
  }
};

template <int dim>
class Heat : public TimeDependentProblem<dim>
{
public:
  Heat(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file)
    , parameters(parameters)
    , dt(parameters.step)
    , fe(parameters.degree)
    , quadrature(parameters.degree + 1)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::time;

  void make_mesh() override
  {
    if (!parameters.mesh_file.make_coarse(*mesh))
      dealii::GridGenerator::hyper_cube(*mesh);
    refine_global(*mesh, parameters.refinements);
    refine_for(*dealii_function<dim>(exact(0.)), *mesh, mapping, fe, {parameters.adaptive_cycles, 0.2});
  }

  void setup() override
  {
    setup_field();
    assemble();
    this->add_output(*field, u);
    this->describe(*field, *A, *solver, parameters.linear_solver);
  }

  // The levels, their constraints, and the points where equation data are evaluated.
  void setup_field()
  {
    Section scope(run_info.timer, "init/hierarchy");
    meshes.emplace(*mesh, level_mesh_options<dim>(run_info, parameters.linear_solver, fe));
    field.emplace(*meshes, "u", fe, all_boundaries(*mesh));
    on_device.emplace(device, *field, mapping);
    source   = functor_at_points<dim>(device, on_device->quadrature_points(quadrature), [this](double t) {
      return heat::Source<dim>{t, parameters.kappa, parameters.rho};
    });
    boundary = functor_at_points<dim>(device, on_device->prescribed_nodes(), exact);
    for (Vector<double> *vector : {&u, &x, &rhs})
      *vector = on_device->vector();
  }

  // A on all levels, and on the finest one what the right-hand side needs.
  void assemble()
  {
    const auto system = [this](const auto &cell, auto &local) {
      add_matrix(cell, 1. + dt * parameters.rho, dt * parameters.kappa, local);
    };
    const auto mass = [this](const auto &cell, auto &local) { add_matrix(cell, 1., 0., local); };
    const auto load = [this](const auto &cell, auto &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          local(i, q) = dt * cell.value(i, q) * cell.JxW(q);
    };
    const auto flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
    A.emplace("A", *field, unknowns(*field), mapping, quadrature, flags, system, Levels::all);
    solver =
      make_constant_linear_solver(run_info.timer, device, *meshes, *field, *A, parameters.linear_solver, "time step");
    Section   scope(run_info.timer, "init/assembly");
    Form<dim> M_form("M", *field, nodal_values(*field), mapping, quadrature, flags, mass),
      S_form("S", *field, quadrature_points<dim>(), mapping, quadrature, flags, load),
      C_form("C", *field, prescribed_values(*field), mapping, quadrature, flags, system);
    M = assemble_on(device, M_form);
    S = assemble_on(device, S_form);
    C = assemble_on(device, C_form);
  }

  // One cell's share of the matrix mass_weight M + stiffness_weight K.
  void add_matrix(const CellContext<dim> &cell, double mass_weight, double stiffness_weight,
                  dealii::FullMatrix<double> &local) const
  {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += (mass_weight * cell.value(i, q) * cell.value(j, q) +
                          stiffness_weight * (cell.gradient(i, q) * cell.gradient(j, q))) *
                         cell.JxW(q);
  }

  void set_initial_values() override
  {
    device.copy(functor_at_points<dim>(device, on_device->nodes(), exact).at(0.), x);
    on_device->nodal_values(x, boundary.at(0.), u);
  }

  // A x = M u + S f - C g, f and g at the new time. The last step's x is the initial guess.
  PendingResult advance() override
  {
    {
      Section scope(run_info.timer, "rhs");
      device.multiply(1., M, u, 0., rhs);
      device.multiply(1., S, source.at(time), 1., rhs);
      device.multiply(-1., C, boundary.at(time), 1., rhs);
    }
    Section    scope(run_info.timer, "solve");
    const auto result = solver->solve(rhs, x);
    on_device->nodal_values(x, boundary.values(), u);
    return result;
  }

  // The state after a step: in checkpoints, and carried to a new mesh.
  void serialize(State &state) override
  {
    state.vector(u, *on_device, boundary.at(time));
    state.unknowns(x, on_device->space());
  }

  void report() override
  {
    this->report_l2_error(*field, u, *dealii_function<dim>(exact(time)));
    run_info.measure(*solver);
  }

  static heat::Exact<dim> exact(double t) { return {t}; }

  const Parameters               &parameters;
  const double                    dt;
  const dealii::FE_Q<dim>         fe;
  const dealii::QGauss<dim>       quadrature;
  std::optional<LevelMeshes<dim>> meshes;
  std::optional<Field<dim>>       field;
  std::optional<DeviceField<dim>> on_device;
  std::optional<Form<dim>>        A;
  std::unique_ptr<LinearSolver>   solver; // of A
  Matrix<double>                  M, S, C;
  Vector<double>                  u, x, rhs;
  ValuesAtPoints                  source, boundary;
};

int main(int argc, char **argv)
{
  return run_program<Parameters, Heat>(
    argc, argv, "template", "Solves the heat equation with a reaction term on an adaptive mesh: a program to copy.");
}
