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
// where u1, u2 are the last two solutions, M is the mass matrix and K that of diffusion and transport. S f integrates
// f, times the factor of K in A. C is A acting on g: the sum of the part of M (C_M) and of the part of dt K (C_K) times
// its factor. In the first step of BDF2, A is that of backward Euler.

#include "parameters.h"

#include "frame/adaptivity.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "solvers/extrapolation.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

using namespace dealii;
using namespace transport_diffusion;
using adamant::CellContext, adamant::ColumnKind, adamant::PendingResult;

template <int dim>
class TransportDiffusion : public adamant::TimeDependentProblem<dim>
{
public:
  TransportDiffusion(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, parameters.time.schedule(), parameters.adaptivity, parameters.mesh_file)
    , parameters(parameters)
    , dt(parameters.time.step)
    , b(ArrayView<const double>(parameters.problem.transport.data(), dim))
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
      GridGenerator::subdivided_hyper_cube(*mesh, p.coarse_cells);
    adamant::refine_global(*mesh, p.refinements);
    adamant::refine_for(*parameters.problem.function_at_time<dim>("Initial values", 0.), *mesh, mapping, fe,
                        p.adaptive_cycles, p.refine_fraction, p.coarsen_fraction);
  }

  // Makes the data that do not depend on the time step: levels, constraints, positions, vectors.
  void setup_fields() override
  {
    solver.reset(); // of another mesh
    adamant::UnknownOptions options;
    options.n_points = parameters.discretization.quadrature;
    if (parameters.discretization.supg && fe.degree > 1)
      options.flags |= update_hessians;
    theta.emplace(*this, "theta", fe, adamant::all_boundaries(*mesh), parameters.linear_solver, options);
    if (parameters.problem.has_source())
      source = parameters.problem.values<dim>("Source", device, theta->quadrature_points());
    boundary = parameters.problem.values<dim>("Boundary values", device, theta->prescribed_nodes());
    for (auto *vector : {&u, &u_old, &w, &x, &rhs})
      *vector = theta->vector();
    this->add_output(*theta, u);
  }

  // Makes the system matrices of all levels, and on the finest one the matrices of the right-hand side.
  void assemble() override
  {
    const bool first = step == 0 && this->n_mesh_changes() == 0; // else also in a restart, whose step is not known yet
    scheme           = parameters.time.scheme == "bdf2" && first ? "backward_euler" : parameters.time.scheme;
    const auto form  = [this](double mass, double stiffness) {
      return [=](const auto &cell, auto &local) { add_bilinear_form(cell, mass, stiffness, local); };
    };
    E   = theta->matrix("E", ColumnKind::nodal_values, form(1., scheme == "crank_nicolson" ? -0.5 * dt : 0.));
    C_M = theta->matrix("C_M", ColumnKind::prescribed_values, form(1., 0.));
    C_K = theta->matrix("C_K", ColumnKind::prescribed_values, form(0., dt));
    if (parameters.problem.has_source())
      S = theta->matrix("S", ColumnKind::quadrature_points, [this](const auto &cell, auto &local) {
        const double tau = stabilization(cell);
        for (const unsigned int q : cell.quadrature_point_indices())
          for (const unsigned int i : cell.dof_indices())
            local(i, q) = (cell.value(i, q) + tau * (b * cell.gradient(i, q))) * cell.JxW(q);
      });
    A = theta->system("A", [this](const auto &cell, auto &local) { // of the scheme at the time of its update
      add_bilinear_form(cell, 1., dt * implicit_weight(), local);
    });
    if (scheme != parameters.time.scheme)
      A->update(device); // A will change: the device has its values
    solver = theta->solver_for(*A, "time step");
    this->describe(*theta, *A, *solver, parameters.time.extrapolation_order);
  }

  // Of one cell the matrix mass_weight M + stiffness_weight K; with SUPG the test function is phi + tau b . grad phi.
  void add_bilinear_form(const CellContext<dim> &cell, double mass_weight, double stiffness_weight,
                         FullMatrix<double> &local) const
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
  double stabilization(const CellContext<dim> &cell) const
  {
    if (!parameters.discretization.supg || b.norm() == 0)
      return 0.;
    const double h      = cell.diameter() / (std::sqrt(dim) * fe.degree),
                 peclet = 0.5 * b.norm() * h / std::max(parameters.problem.diffusion_in(cell.material_id()), 1e-300);
    return 0.5 * h / b.norm() * (peclet < 1e-2 ? peclet / 3. : 1. / std::tanh(peclet) - 1. / peclet);
  }

  // Returns the factor of dt K in A.
  double implicit_weight() const { return scheme == "crank_nicolson" ? 0.5 : scheme == "bdf2" ? 2. / 3. : 1.; }

  void set_initial_values() override
  {
    auto initial = parameters.problem.values<dim>("Initial values", device, theta->nodes());
    device.copy(initial.at(0.), x);
    theta->nodal_values(x, boundary.at(0.), u);
  }

  // Computes rhs = E w + S f - C g at the new time.
  void compute_rhs() override
  {
    if (step > 1 && scheme != parameters.time.scheme)
      this->timed("update", [this] { // A for another factor of K
        scheme = parameters.time.scheme;
        A->update(device);
        solver->update();
        device.synchronize();
        updates = 1; // also where a restart does it again
      });
    if (scheme == "bdf2")
      {
        device.copy(u, w);
        device.axpby(-1. / 3., u_old, 4. / 3., w);
      }
    device.multiply(1., E, scheme == "bdf2" ? w : u, 0., rhs);
    for (const double t : {time, time - dt})
      if (parameters.problem.has_source() && (t == time || scheme == "crank_nicolson"))
        device.multiply(dt * implicit_weight(), S, source.at(t), 1., rhs);
    device.multiply(-1., C_M, boundary.at(time), 1., rhs);
    device.multiply(-implicit_weight(), C_K, boundary.values(), 1., rhs);
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

  bool statistics_wait() const override { return false; }

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
  }

  const Parameters                      &parameters;
  const double                           dt;
  const Tensor<1, dim>                   b;
  const FE_Q<dim>                        fe;
  std::optional<adamant::Unknown<dim>>   theta;
  std::unique_ptr<adamant::Form<dim>>    A;
  std::unique_ptr<adamant::LinearSolver> solver; // of A
  adamant::Matrix<double>                E, S, C_M, C_K;
  adamant::Vector<double>                u, u_old, w, x, rhs;
  adamant::ValuesAtPoints                source, boundary;
  adamant::Extrapolation                 guess;
  std::string                            scheme;
  unsigned int                           updates = 0; // of A
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, TransportDiffusion>(
    argc, argv, "transport_diffusion",
    "Solves a transport-diffusion equation on adaptive meshes with multigrid (Liebchen et al., Section 5.1).");
}
