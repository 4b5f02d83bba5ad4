// Transport-diffusion on adaptive meshes in two or three dimensions (Liebchen et al., Section 5.1):
//
//   d_t theta - lambda Laplace theta + (b . grad) theta = f   in (0,1)^dim x (0,T],   theta = theta_b on the boundary,
//
// with data made from an exact solution unless the parameters give others. Nodal values are u = H x + B g: x the free
// unknowns, g(t) the boundary values. A time step solves A x = E w + S f - C g, all of them sparse products:
//
//   backward Euler:  A = M + dt K,       E = M,            w = u1
//   Crank-Nicolson:  A = M + dt/2 K,     E = M - dt/2 K,   w = u1,   f at both times
//   BDF2:            A = M + 2/3 dt K,   E = M,            w = 4/3 u1 - 1/3 u2
//
// where u1, u2 are the last two solutions, M is the mass matrix and K that of diffusion and transport. S f integrates f,
// times the factor of K in A; C is A acting on g, the sum of what M does (C_M) and dt K (C_K) times its factor. The first
// step of BDF2 has another A than those that follow.

#include "functions.h"
#include "parameters.h"

#include "frame/adaptive_mesh.h"
#include "frame/program.h"
#include "frame/time_dependent_problem.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

using namespace dealii;
using namespace transport_diffusion;
using adamant::CellContext;
using adamant::Device;
using adamant::Form;
using adamant::Section;

template <int dim>
class TransportDiffusion : public adamant::TimeDependentProblem<dim>
{
public:
  TransportDiffusion(const Parameters &parameters, const Device &device, adamant::Run &run);

private:
  using Vector = adamant::Vector<double>;
  using Matrix = adamant::Matrix<double>;
  using Base   = adamant::TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::step, Base::time;

  void                   make_mesh() override;
  void                   setup() override;
  void                   set_initial_values() override;
  adamant::PendingResult advance() override;
  void                   serialize(adamant::State &state) override;
  bool                   statistics_wait() const override { return false; }
  void                   report() override;

  void   setup_fields();
  void   choose_scheme(const std::string &name);
  void   assemble();
  void   change_scheme();
  void   add_bilinear_form(const CellContext<dim> &cell, double mass_weight, double stiffness_weight,
                           FullMatrix<double> &local) const;
  double stabilization(const CellContext<dim> &cell) const;
  void   compute_rhs();

  const Parameters           &parameters;
  const double                dt;
  const Coefficients<dim>     coefficients;
  const ProblemFunctions<dim> functions;
  const Tensor<1, dim>        b;

  FE_Q<dim>                                fe;
  QGauss<dim>                              quadrature;
  std::optional<adamant::LevelMeshes<dim>> meshes;
  std::optional<adamant::Field<dim>>       field;
  std::optional<adamant::DeviceField<dim>> theta;
  std::optional<Form<dim>>                 A;
  std::unique_ptr<adamant::LinearSolver>   solver; // of A

  Matrix                  E, S, C_M, C_K;
  Vector                  u, u_old, w, x, rhs;
  adamant::ValuesAtPoints source, boundary;
  adamant::Extrapolation  guess;
  std::string             scheme;
  double                  implicit_weight = 1.; // dt times this multiplies K in A
  unsigned int            updates         = 0;  // of A
};

template <int dim>
TransportDiffusion<dim>::TransportDiffusion(const Parameters &parameters, const Device &device, adamant::Run &run)
  : adamant::TimeDependentProblem<dim>(device, run, parameters.time.schedule(), parameters.adaptivity,
                                       parameters.mesh_file)
  , parameters(parameters)
  , dt(parameters.time.step)
  , coefficients(parameters.problem.coefficients<dim>())
  , functions(parameters.problem, coefficients)
  , b(ArrayView<const double>(coefficients.transport, dim))
  , fe(parameters.discretization.degree)
  , quadrature(parameters.discretization.quadrature > 0 ? parameters.discretization.quadrature : fe.degree + 1)
  , guess(device, parameters.time.extrapolation_order)
{}

template <int dim>
void TransportDiffusion<dim>::make_mesh()
{
  const auto &p = parameters.discretization;
  if (!parameters.mesh_file.make_coarse(*mesh))
    GridGenerator::subdivided_hyper_cube(*mesh, p.coarse_cells);
  adamant::refine_global(*mesh, p.refinements);
  adamant::refine_for(*functions.initial_values(), *mesh, mapping, fe,
                      {p.adaptive_cycles, p.refine_fraction, p.coarsen_fraction});
}

template <int dim>
void TransportDiffusion<dim>::setup()
{
  solver.reset(); // of another mesh
  setup_fields();
  const bool first = step == 0 && this->n_mesh_changes() == 0; // else also in a restart, whose step is not known yet
  choose_scheme(parameters.time.scheme == "bdf2" && first ? "backward_euler" : parameters.time.scheme);
  assemble();
  this->add_output(*field, u);
  this->describe(*field, *A, *solver, parameters.linear_solver, parameters.time.extrapolation_order);
}

// What does not depend on the time step: levels, constraints, positions, vectors.
template <int dim>
void TransportDiffusion<dim>::setup_fields()
{
  Section scope(run_info.timer, "init/hierarchy");
  meshes.emplace(*mesh, adamant::level_mesh_options<dim>(run_info, parameters.linear_solver, fe));
  field.emplace(*meshes, "theta", fe, adamant::all_boundaries(*mesh));
  theta.emplace(device, *field, mapping);
  if (parameters.problem.has_source())
    source = functions.source_at(device, theta->quadrature_points(quadrature));
  boundary = functions.boundary_values_at(device, theta->prescribed_nodes());
  for (Vector *vector : {&u, &u_old, &w, &x, &rhs})
    *vector = theta->vector();
}

// The equation: the system matrices of all levels, and on the finest one those of the right-hand side.
template <int dim>
void TransportDiffusion<dim>::assemble()
{
  using namespace adamant;
  UpdateFlags flags = update_values | update_gradients | update_JxW_values;
  if (parameters.discretization.supg && fe.degree > 1)
    flags |= update_hessians;
  { // first what the finest level does alone
    const Section scope(run_info.timer, "init/assembly");
    const auto    assembled = [&](const char *name, const auto &columns, const auto &kernel) {
      Form<dim> form(name, *field, columns, mapping, quadrature, flags, kernel);
      return assemble_on(device, form);
    };
    const auto bilinear_form = [this](double mass, double stiffness) {
      return [=](const auto &cell, auto &local) { add_bilinear_form(cell, mass, stiffness, local); };
    };
    E   = assembled("E", nodal_values(*field), bilinear_form(1., scheme == "crank_nicolson" ? -0.5 * dt : 0.));
    C_M = assembled("C_M", prescribed_values(*field), bilinear_form(1., 0.));
    C_K = assembled("C_K", prescribed_values(*field), bilinear_form(0., dt));
    if (parameters.problem.has_source())
      S = assembled("S", quadrature_points<dim>(), [this](const auto &cell, auto &local) {
        const double tau = stabilization(cell);
        for (const unsigned int q : cell.quadrature_point_indices())
          for (const unsigned int i : cell.dof_indices())
            local(i, q) = (cell.value(i, q) + tau * (b * cell.gradient(i, q))) * cell.JxW(q);
      });
  }
  A.emplace(
    "A", *field, unknowns(*field), mapping, quadrature, flags,
    [this](const auto &cell, auto &local) { add_bilinear_form(cell, 1., dt * implicit_weight, local); }, Levels::all);
  const auto &p = parameters.linear_solver;
  if (scheme == parameters.time.scheme)
    solver = make_constant_linear_solver(run_info.timer, device, *meshes, *field, *A, p, "time step");
  else // A will change: the device has its values, the host gives it the matrices of cells
    {
      const Section scope(run_info.timer, "init/assembly");
      A->update(device);
      const SectionWithin part(run_info.timer, "init/assembly", "init/solver");
      solver = make_linear_solver(device, *field, *A, p, "time step");
    }
}

// Of one cell the matrix mass_weight M + stiffness_weight K; with SUPG the test function is phi + tau b . grad phi.
template <int dim>
void TransportDiffusion<dim>::add_bilinear_form(const CellContext<dim> &cell, double mass_weight,
                                                double stiffness_weight, FullMatrix<double> &local) const
{
  const double lambda = parameters.problem.diffusion_in(cell.material_id()), tau = stabilization(cell);
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      {
        const auto  &grad_i = cell.gradient(i, q);
        const double test   = (cell.value(i, q) + tau * (b * grad_i)) * cell.JxW(q);
        for (const unsigned int j : cell.dof_indices())
          {
            const auto  &grad_j = cell.gradient(j, q);
            const double mass   = cell.value(j, q) * test;
            double       K      = lambda * (grad_i * grad_j) * cell.JxW(q) + (b * grad_j) * test;
            if (tau > 0 && fe.degree > 1) // the strong residual's second derivatives
              K -= lambda * trace(cell.hessian(j, q)) * tau * (b * grad_i) * cell.JxW(q);
            local(i, j) += mass_weight * mass + stiffness_weight * K;
          }
      }
}

// Brooks & Hughes 1982: tau = h / (2 |b|) (coth Pe - 1 / Pe), Pe = |b| h / (2 lambda), h the length of an edge; or 0.
template <int dim>
double TransportDiffusion<dim>::stabilization(const CellContext<dim> &cell) const
{
  if (!parameters.discretization.supg || b.norm() == 0)
    return 0.;
  const double h      = cell.diameter() / (std::sqrt(dim) * fe.degree),
               peclet = 0.5 * b.norm() * h / std::max(parameters.problem.diffusion_in(cell.material_id()), 1e-300);
  return 0.5 * h / b.norm() * (peclet < 1e-2 ? peclet / 3. : 1. / std::tanh(peclet) - 1. / peclet);
}

template <int dim>
void TransportDiffusion<dim>::choose_scheme(const std::string &name)
{
  scheme          = name;
  implicit_weight = scheme == "crank_nicolson" ? 0.5 : scheme == "bdf2" ? 2. / 3. : 1.;
}

// A for another factor of K.
template <int dim>
void TransportDiffusion<dim>::change_scheme()
{
  Section scope(run_info.timer, "update");
  choose_scheme(parameters.time.scheme);
  A->update(device);
  solver->update();
  device.synchronize();
  updates = 1; // also where a restart does it again
}

template <int dim>
void TransportDiffusion<dim>::set_initial_values()
{
  Section scope(run_info.timer, "init/initial values");
  device.copy(functions.initial_values_at(device, theta->nodes()).at(0.), x);
  theta->nodal_values(x, boundary.at(0.), u);
}

template <int dim>
adamant::PendingResult TransportDiffusion<dim>::advance()
{
  if (step > 1 && scheme != parameters.time.scheme)
    change_scheme();
  compute_rhs();
  Section scope(run_info.timer, "solve");
  guess.predict(x);
  std::swap(u, u_old);
  const auto result = solver->launch(rhs, x, [this] { theta->nodal_values(x, boundary.values(), u); });
  guess.keep(x);
  return result;
}

// rhs = E w + S f - C g at the new time.
template <int dim>
void TransportDiffusion<dim>::compute_rhs()
{
  Section scope(run_info.timer, "rhs");
  if (scheme == "bdf2")
    {
      device.copy(u, w);
      device.axpby(-1. / 3., u_old, 4. / 3., w);
    }
  device.multiply(1., E, scheme == "bdf2" ? w : u, 0., rhs);
  for (const double t : {time, time - dt})
    if (parameters.problem.has_source() && (t == time || scheme == "crank_nicolson"))
      device.multiply(dt * implicit_weight, S, source.at(t), 1., rhs);
  device.multiply(-1., C_M, boundary.at(time), 1., rhs);
  device.multiply(-implicit_weight, C_K, boundary.values(), 1., rhs);
}

template <int dim>
void TransportDiffusion<dim>::serialize(adamant::State &state)
{
  state.scalar(updates);
  state.vector(u, *theta, boundary.at(time));
  state.vector(u_old, *theta, boundary.at((step - 1) * dt));
  state.history(guess, device, theta->space());
}

template <int dim>
void TransportDiffusion<dim>::report()
{
  if (parameters.problem.has_exact_solution())
    this->report_l2_error(*field, u, *functions.exact_solution(time));
  run_info.record["updates"] = updates;
  run_info.measure(*solver);
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, TransportDiffusion>(
    argc, argv, "transport_diffusion",
    "Solves a transport-diffusion equation on adaptive meshes with multigrid (Liebchen et al., Section 5.1).");
}
