// Incompressible flow in two or three dimensions by an explicit pressure correction (Liebchen et al., Section 5.3):
//
//   d_t u + div(u (x) u) - nu Laplace u + grad p = f,   div u = 0,
//
// Q1 velocities on the pressure's Q1 mesh refined once (Q1-iso-Q2/Q1), lumped masses m, products of nodal values
// interpolated. With the matrices of FlowMatrices, step number n is
//
//   u_c <- u_c + dt (f_c - (sum_d A_d (u_d u_c) + A_c P(p + q) + nu K u_c) / m),   then the boundary values,
//   K_p q = -g / dt,   g = sum_d W_d u_d = (div u, psi),
//   p  <- p + q - nu g / m_p.
//
// A_d stands for what the paper writes as -C_d: the two differ by boundary integrals, in the unused rows of prescribed
// nodes, and at an outflow, where A_d gives the do-nothing condition nu d_n u - p n = 0 without a flux of momentum.

#include "data.h"
#include "flow_data.h"
#include "parameters.h"
#include "results.h"

#include "algebra/graph.h"
#include "application/flow_output.h"
#include "application/hanging_nodes.h"
#include "application/mesh_input.h"
#include "application/poisson_solver.h"
#include "application/program.h"
#include "application/stable_step.h"
#include "application/steady_state.h"
#include "application/time_dependent_problem.h"
#include "discretization/fields/tensor_product.h"
#include "discretization/forms/flow_products.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

using namespace dealii;
using namespace navier_stokes;
using adamant::Array;
using adamant::Device;
using adamant::Section;

template <int dim>
class NavierStokes : public adamant::TimeDependentProblem<dim>
{
public:
  NavierStokes(const Parameters &parameters, const Device &device, adamant::Run &run);

private:
  using Vector = adamant::Vector<double>;
  using Base   = adamant::TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::run_info, Base::schedule, Base::step, Base::time, Base::download;

  void                                make_mesh() override;
  std::unique_ptr<Triangulation<dim>> manifolds() const override { return parameters.mesh.template manifolds<dim>(); }
  void                                setup() override;
  void                                set_initial_values() override;
  adamant::SolverResult               advance() override;
  void                                serialize(adamant::State &state) override;
  bool                                finished() const override { return steady.reached; }
  void                                add_statistics(adamant::Statistics::Row &row) override;
  void                                report() override;

  std::vector<const Vector *> output_vectors() const override { return {&u[now], &pressure_on_velocity_mesh}; }
  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    adamant::write_flow(flow->velocity(), mapping, values[0], values[1], series, t);
  }

  void setup_matrices();
  void setup_vectors();
  void setup_solver();
  void describe();
  void velocity_step();
  void apply_constraints();
  void compute_divergence();
  void project();
  void update_pressure();
  void check_speed();
  template <typename Work>
  void timed(const char *part, const Work &work);

  const Parameters &parameters;

  std::unique_ptr<adamant::FlowMatrices<dim>> flow;
  std::unique_ptr<FlowData<dim>>              data;
  std::optional<adamant::HangingNodes<dim>>   hanging;
  std::optional<adamant::FlowProducts<dim>>   products;
  std::optional<adamant::PoissonSolver>       solver;
  std::optional<FlowResults<dim>>             results;

  int                n = 0, n_p = 0; // this rank's nodes of the two meshes
  double             volume = 0., reference_speed = 0.;
  adamant::StepLimit limit;

  Vector                  u[2], pressure_on_velocity_mesh, q, p, p_plus_q, b, g;
  Vector                  pressure_mass, inverse_pressure_mass, ones;
  int                     now = 0; // u[now] is the velocity
  adamant::Matrix<double> interpolation;
  adamant::Scalars        speed_square, mean;
  adamant::Graph          first_half[2];

  adamant::SteadyState  steady; // whether the flow is
  adamant::SolverResult result;
};

template <int dim>
NavierStokes<dim>::NavierStokes(const Parameters &parameters, const Device &device, adamant::Run &run)
  : Base(device, run, parameters.time.schedule())
  , parameters(parameters)
  , speed_square(device, 1)
  , mean(device, 2)
  , steady(parameters.time.steady_tolerance)
{
  schedule.output_interval     = parameters.output.interval;
  schedule.statistics_interval = parameters.output.statistics_interval;
  parameters.check_ranks(run.ranks.size(), adamant::is_distributed(*mesh));
}

// The pressure mesh, then refined once more.
template <int dim>
void NavierStokes<dim>::make_mesh()
{
  parameters.mesh.make(*mesh);
  adamant::refine_global(*mesh, 1);
  if (!adamant::is_distributed(*mesh))
    mesh->reset_all_manifolds(); // coarser levels take the vertices as they are; p4est's place them again
  adamant::check_boundaries("Problem/Outflow boundaries", parameters.problem.outflow, *mesh);
  adamant::check_boundaries("Output/Force boundaries", parameters.output.force_boundaries, *mesh);
}

template <int dim>
void NavierStokes<dim>::setup()
{
  setup_matrices();
  setup_vectors();
  {
    Section scope(run_info.timer, "init/initial values");
    data            = std::make_unique<FlowData<dim>>(device, parameters.problem, *flow, mapping);
    reference_speed = data->reference_speed(parameters.time.end);
  }
  limit = adamant::stable_step(results->shortest_edge(), parameters.problem.viscosity, reference_speed, dim);
  std::cout << limit.text << std::endl;
  schedule = adamant::stable_schedule(schedule, parameters.time.end, limit, parameters.time.shortens());
  setup_solver();
  describe();
}

// What the run is.
template <int dim>
void NavierStokes<dim>::describe()
{
  const std::size_t n_cells = mesh->n_global_active_cells(), n_nodes = flow->velocity().dof_handler().n_dofs(),
                    n_pressures = flow->pressure().dof_handler().n_dofs();
  std::cout << n_cells << " cells, " << dim << " x " << n_nodes << " velocities, " << n_pressures << " pressures, "
            << flow->pressure_levels.size() << " pressure levels\n";
  if (solver->multigrid)
    std::cout << *solver->multigrid;
  run_info.describe({dim * n_nodes + n_pressures, n_cells, flow->pressure_levels, parameters.linear_solver,
                     parameters.time.extrapolation_order});
  auto &record              = run_info.record;
  record["time_step"]       = schedule.step;
  record["time_step_limit"] = limit.limit;
  record["shortest_edge"]   = results->shortest_edge();
}

template <int dim>
void NavierStokes<dim>::setup_solver()
{
  Section     scope(run_info.timer, "init/solver");
  const auto &p = parameters.implementation;
  if (p.pressure_solver == "fast_diagonalization")
    solver.emplace(device, adamant::tensor_product_eigenpairs(flow->pressure(), mapping));
  else
    solver.emplace(device, flow->pressure_levels, parameters.linear_solver.options("pressure"),
                   parameters.time.extrapolation_order);
  products.emplace(device, *flow, parameters.problem.viscosity,
                   !p.custom_kernels || device.matrix_format() == adamant::MatrixFormat::cusparse);
}

// Matrices and constraints, and what is evaluated with them.
template <int dim>
void NavierStokes<dim>::setup_matrices()
{
  Section     scope(run_info.timer, "init/matrices");
  const auto &outflow = parameters.problem.outflow;
  flow                = std::make_unique<adamant::FlowMatrices<dim>>(
    *mesh, mapping, QGauss<dim>(2), std::set<types::boundary_id>(outflow.begin(), outflow.end()),
    parameters.linear_solver.coarsest_cells, run_info.cells_per_rank(GeometryInfo<dim>::vertices_per_cell));
  const auto &space = flow->velocity();
  volume            = GridTools::volume(*mesh);
  n                 = space.n_owned();
  n_p               = flow->pressure().n_owned();
  results.emplace(*flow, mapping, parameters.output);
  hanging.emplace(device, space, dim);
}

template <int dim>
void NavierStokes<dim>::setup_vectors()
{
  Section scope(run_info.timer, "init/vectors");
  for (Vector *vector : {&u[0], &u[1]})
    *vector = Vector(device, dim * n);
  pressure_on_velocity_mesh = Vector(device, n);
  for (Vector *vector : {&q, &p, &p_plus_q, &b, &g})
    *vector = Vector(device, n_p);
  Array<double> inverse(n_p, 0.);
  for (int k = 0; k < n_p; ++k)
    if (flow->pressure_mass[k] > 0.)
      inverse[k] = 1. / flow->pressure_mass[k];
  pressure_mass         = Vector(device, flow->pressure_mass);
  inverse_pressure_mass = Vector(device, inverse);
  ones                  = Vector(device, Array<double>(n_p, 1.));
  interpolation         = adamant::Matrix<double>(device, *flow->interpolation);
}

template <int dim>
void NavierStokes<dim>::set_initial_values()
{
  u[0].upload(data->initial_velocity().data());
  apply_constraints();
  const auto acceleration = data->initial_acceleration(download(u[now]));
  if (!acceleration || run_info.is_dry()) // on all ranks, also on those without pressures
    return;
  // Equation (16) of the paper, (∇p, ∇ψ) = (a, ∇ψ) with the acceleration a.
  Section scope(run_info.timer, "init/initial pressure");
  b.upload(acceleration->data());
  project();
  update_pressure(); // with g = 0
  // p holds the pressure; no increment has been made yet.
  device.copy(p, p_plus_q);
  device.multiply(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh);
  q.set_zero();
}

template <int dim>
adamant::SolverResult NavierStokes<dim>::advance()
{
  if (data->force_varies())
    timed("data", [this] { data->set_force(time - schedule.step); });
  if (data->boundary.varies())
    timed("data", [this] { data->boundary.evaluate(time); });
  // Which of the two velocities is the new one alternates: two recorded graphs.
  const int  old   = now;
  const auto begin = [this, old] {
    now = old;
    velocity_step();
    timed("pres-rhs", [this] { compute_divergence(); });
  };
  if (parameters.output.time_parts)
    begin();
  else
    {
      if (!first_half[old])
        first_half[old] = adamant::Graph(device, begin);
      first_half[old].replay();
    }
  now = 1 - old;
  timed("pres-solve", [this] { project(); });
  timed("pres-up.solve", [this] { update_pressure(); });
  timed("mom-rhs-p", [this] { device.multiply(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh); });
  solver->guess.keep(q);
  check_speed();
  return result;
}

template <int dim>
template <typename Work>
void NavierStokes<dim>::timed(const char *part, const Work &work)
{
  if (!parameters.output.time_parts)
    return work();
  Section scope(run_info.timer, part);
  work();
  device.synchronize();
}

// The explicit step to u[now].
template <int dim>
void NavierStokes<dim>::velocity_step()
{
  const double *const                force = data->has_force() ? data->force.data() : nullptr;
  const adamant::VelocityUpdate<dim> update{n,     schedule.step,    u[now].data(), data->inverse_mass.data(),
                                            force, u[1 - now].data()};
  products->momentum(update, u[now], pressure_on_velocity_mesh,
                     [this](const char *part, const auto &work) { timed(part, work); });
  now = 1 - now;
  timed(products->separate() ? "mom-solve" : "momentum", [this] { apply_constraints(); });
}

template <int dim>
void NavierStokes<dim>::apply_constraints()
{
  if (data->boundary.varies() || step == 0)
    data->boundary.apply(u[now]);
  hanging->apply(u[now]);
}

template <int dim>
void NavierStokes<dim>::compute_divergence()
{
  products->divergence(u[now], g);
  if (flow->singular)
    device.dot(ones, g, mean, 0);
  device.for_each(n_p, PressureRhs{schedule.step, volume, g.data(), pressure_mass.data(),
                                   flow->singular ? mean.data() : nullptr, b.data()});
  device.dot(u[now], u[now], speed_square, 0);
}

template <int dim>
void NavierStokes<dim>::project()
{
  try
    {
      result = solver->solve(b, q);
    }
  catch (const adamant::SolverError &)
    {
      check_speed(); // says more where the velocity is at fault
      throw;
    }
}

template <int dim>
void NavierStokes<dim>::update_pressure()
{
  if (flow->singular)
    device.dot(pressure_mass, q, mean, 1);
  device.for_each(n_p, PressureUpdate{parameters.problem.viscosity, volume, g.data(), inverse_pressure_mass.data(),
                                      flow->singular ? mean.data() + 1 : nullptr, q.data(), p.data(), p_plus_q.data()});
}

// A velocity that explodes ends the run in the step where it does. The sum is there when the pressure has been solved.
template <int dim>
void NavierStokes<dim>::check_speed()
{
  const double speed = std::sqrt(speed_square.fetch()[0] / flow->velocity().dof_handler().n_dofs());
  // With forces there is no other bound than that the flow must not cross the domain in a step.
  const double most =
    reference_speed > 0. && !data->has_force() ? 10. * reference_speed : std::pow(volume, 1. / dim) / schedule.step;
  if (!(speed <= most))
    adamant::report_blow_up(step, time, schedule.step, speed, reference_speed, limit);
}

template <int dim>
void NavierStokes<dim>::serialize(adamant::State &state)
{
  adamant::serialize_step(state, schedule.step);
  state.scalar(steady.reached);
  results->serialize(state);
  const auto &pressures = flow->pressure();
  state.vector(u[now], flow->velocity(), dim);
  state.vector(p, pressures);
  state.vector(p_plus_q, pressures);
  state.history(solver->guess, device, pressures);
  if (state.loading())
    device.multiply(1., interpolation, p_plus_q, 0., pressure_on_velocity_mesh);
}

template <int dim>
void NavierStokes<dim>::add_statistics(adamant::Statistics::Row &row)
{
  const auto change   = steady.test(u[now], u[1 - now], schedule.step); // the old velocity is not needed any more
  const auto velocity = download(u[now]), pressure = download(pressure_on_velocity_mesh), div = download(g),
             nodal_pressure = download(p);
  Section scope(run_info.timer, "statistics");
  results->evaluate(velocity, pressure, nodal_pressure, div, schedule.step, parameters.problem.viscosity);
  results->add_to(row, change);
}

// The facts of the run.
template <int dim>
void NavierStokes<dim>::report()
{
  auto &record              = run_info.record;
  record["end_time"]        = time;
  record["steady"]          = steady.reached;
  record["pressure_solver"] = parameters.implementation.pressure_solver;
  record["custom_kernels"]  = parameters.implementation.custom_kernels;
  if (solver->multigrid)
    run_info.measure(*solver->multigrid);
  products->add_to(record, run_info.ranks);
  results->add_to(record);
  const auto velocity = download(u[now]), pressure = download(pressure_on_velocity_mesh);
  Section    scope(run_info.timer, "output");
  results->write_profiles(velocity, pressure, run_info.folder(), record);
  data->add_errors(velocity, pressure, time, record);
  results->print(time, finished());
}

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, NavierStokes>(argc, argv, "navier_stokes",
                                                        "Solves the Navier-Stokes equations by explicit pressure "
                                                        "correction with multigrid (Liebchen et al., Section 5.3).");
}
