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
// for x by Newton's method, where u1, u2 are the last two solutions, M is the mass matrix, K(u) that of diffusion, both
// acting on all nodal values, and S f integrates dt f. The derivative J has a matrix on each level of the mesh: there u
// has the values that the finest level has at the nodes. Picard's method takes k(u) in J for constant.
// Equation data and kernels: data.h; for the GPU data.cu.

#include "data.h"

#include "expressions/functor_at_points.h"
#include "fem/functions/coarser_values.h"
#include "frame/adaptive_mesh.h"
#include "frame/parameters/mesh_file.h"
#include "frame/program.h"
#include "frame/time_dependent_problem.h"
#include "solvers/newton.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <memory>
#include <optional>
#include <vector>

using namespace adamant;
using namespace nonlinear_heat;

// Section "Heat" of the parameter file, with the end time and the time step, and section "Linear solver".
struct Parameters : TimeParameters
{
  unsigned int           dimension = 2, degree = 1, refinements = 4, adaptive_cycles = 2, max_steps = 20;
  Conductivity           conductivity{0.1, 1.};
  bool                   newton    = true;
  double                 tolerance = 1e-8;
  LinearSolverParameters linear_solver;
  AdaptivityParameters   adaptivity{{"u"}};
  MeshFileParameters     mesh_file{"; empty: the unit square or cube"};

  Parameters()
    : TimeParameters(1., 0.05, "/Heat")
  {
    using namespace dealii::Patterns;
    add_parameter("Dimension", dimension, "Of the unit square or cube: 2 or 3", prm, Integer(2, 3));
    add_parameter("Degree", degree, "Of the finite elements FE_Q", prm, Integer(1, 2));
    add_parameter("Refinements", refinements, "h = 2^-n for n uniform refinements", prm, Integer(0, 12));
    add_parameter("Adaptive cycles", adaptive_cycles,
                  "Further refinements where Kelly's estimator finds the initial values least resolved", prm,
                  Integer(0, 10));
    add_parameter("Conductivity", conductivity.kappa, "kappa", prm, Double(0.));
    add_parameter("Growth of conductivity", conductivity.beta, "beta: k(u) = kappa (1 + beta u²)", prm, Double(0.));
    add_parameter("Newton", newton, "Newton's method; else Picard's, which takes k for constant", prm);
    add_parameter("Newton tolerance", tolerance, "Of ‖F‖ over its value for the solution before the step", prm,
                  Double(1e-15, 0.1));
    add_parameter("Newton steps", max_steps, "At most, in each time step", prm, Integer(1));
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
class NonlinearHeat : public TimeDependentProblem<dim>, public NonlinearProblem
{
public:
  NonlinearHeat(const Parameters &parameters, const Device &device, Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh_file)
    , parameters(parameters)
    , dt(parameters.step)
    , fe(parameters.degree)
    , quadrature(parameters.degree + 1)
  {}

private:
  using Base = TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::step, Base::time;

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
    setup_forms();
    newton.emplace(device, *this, on_device->size());
    this->add_output(*field, u);
    this->describe(*field, *J, *solver, parameters.linear_solver);
  }

  // The levels, their constraints, and the points where equation data are evaluated.
  void setup_field()
  {
    Section scope(run_info.timer, "init/hierarchy");
    meshes.emplace(*mesh, level_mesh_options<dim>(run_info, parameters.linear_solver, fe));
    field.emplace(*meshes, "u", fe, all_boundaries(*mesh));
    on_device.emplace(device, *field, mapping);
    source   = functor_at_points<dim>(device, on_device->quadrature_points(quadrature), [this](double t) {
      return Source<dim>{t, parameters.conductivity};
    });
    boundary = functor_at_points<dim>(device, on_device->prescribed_nodes(), exact);
    for (Vector<double> *vector : {&u, &u_old, &u_older, &x, &w, &iterate})
      *vector = on_device->vector();
    u_on_levels.emplace(device, *field);
    levels.clear();
    k.clear();
    fluxes.clear();
    for (std::size_t l = 0; l < field->n_levels(); ++l)
      {
        levels.emplace_back(device, field->space(l), mapping, quadrature);
        k.emplace_back(device, levels[l].n_points());
        fluxes.emplace_back(device, parameters.newton ? levels[l].n_points() * dim : 1);
      }
  }

  // M and S, and the patterns of K and J with values for u = 0.
  void setup_forms()
  {
    const auto flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;
    {
      Section    scope(run_info.timer, "init/assembly");
      const auto mass = [](const CellContext<dim> &cell, auto &local) {
        for (const unsigned int q : cell.quadrature_point_indices())
          for (const unsigned int i : cell.dof_indices())
            for (const unsigned int j : cell.dof_indices())
              local(i, j) += cell.value(i, q) * cell.value(j, q) * cell.JxW(q);
      };
      const auto load = [this](const CellContext<dim> &cell, auto &local) {
        for (const unsigned int q : cell.quadrature_point_indices())
          for (const unsigned int i : cell.dof_indices())
            local(i, q) = dt * cell.value(i, q) * cell.JxW(q);
      };
      Form<dim> M_form("M", *field, nodal_values(*field), mapping, quadrature, flags, mass),
        S_form("S", *field, quadrature_points<dim>(), mapping, quadrature, flags, load);
      M = assemble_on(device, M_form);
      S = assemble_on(device, S_form);
      K_form.emplace("K", *field, nodal_values(*field), mapping, quadrature, flags, nullptr);
      J.emplace("J", *field, unknowns(*field), mapping, quadrature, flags, nullptr, Levels::all);
      assemble_J(x);
      assemble_K();
      K = make_matrix(device, *K_form);
    }
    Section scope(run_info.timer, "init/solver");
    solver = make_linear_solver(device, *field, *J, parameters.linear_solver, "step of Newton's method");
  }

  void set_initial_values() override
  {
    device.copy(functor_at_points<dim>(device, on_device->nodes(), exact).at(0.), x);
    on_device->nodal_values(x, boundary.at(0.), u);
    device.copy(u, u_old);
  }

  // The last step's x is the guess of Newton's method; its tolerance refers to F there.
  PendingResult advance() override
  {
    device.copy(u_old, u_older);
    device.copy(u, u_old);
    boundary.at(time);
    source.at(time);
    const auto result = newton->solve(x, {parameters.tolerance, int(parameters.max_steps), "time step"});
    on_device->nodal_values(x, boundary.values(), u);
    newton_steps += result.steps;
    return SolverResult{result.iterations, result.initial_residual, result.final_residual};
  }

  double a0() const { return step > 1 ? 1.5 : 1.; }

  // r = -F(x).
  void residual(const Vector<double> &x, Vector<double> &r) override
  {
    Section scope(run_info.timer, "residual");
    on_device->nodal_values(x, boundary.values(), iterate);
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

  // J on all levels, and its solver: the kind is that of the parameters.
  void linearize(const Vector<double> &x, Linearization) override
  {
    Section scope(run_info.timer, "update");
    assemble_J(x);
    solver->update();
    device.synchronize();
    ++updates;
  }

  void assemble_J(const Vector<double> &x)
  {
    on_device->nodal_values(x, boundary.values(), iterate);
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

  // K at the nodal values of `iterate`, on the finest level.
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
    Section scope(run_info.timer, "solve");
    return solver->solve(r, d);
  }

  // The state after a step; a checkpoint holds it beside the mesh, and a change of the mesh keeps it.
  void serialize(State &state) override
  {
    state.scalar(newton_steps);
    state.scalar(updates);
    state.vector(u, *on_device, boundary.at(time));
    state.vector(u_old, *on_device, boundary.at((step - 1.) * dt));
    state.unknowns(x, on_device->space());
  }

  void report() override
  {
    this->report_l2_error(*field, u, *dealii_function<dim>(exact(time)));
    run_info.record["newton_steps"] = newton_steps;
    run_info.record["updates"]      = updates;
    run_info.measure(*solver);
  }

  static Exact<dim> exact(double t) { return {t}; }

  const Parameters                  &parameters;
  const double                       dt;
  const dealii::FE_Q<dim>            fe;
  const dealii::QGauss<dim>          quadrature;
  std::optional<LevelMeshes<dim>>    meshes;
  std::optional<Field<dim>>          field;
  std::optional<DeviceField<dim>>    on_device;
  std::optional<InjectedValues<dim>> u_on_levels;
  std::vector<QuadratureData<dim>>   levels;
  std::optional<Form<dim>>           J, K_form;
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
