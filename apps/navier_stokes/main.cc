// Incompressible flow in two or three dimensions by an explicit pressure correction (Liebchen et al., Section 5.3):
//
//   d_t u + div(u (x) u) - nu Laplace u + grad p = f,   div u = 0,
//
// Velocities are Q1 on the pressure's Q1 mesh refined once (Q1-iso-Q2/Q1). Masses m are lumped, and products of nodal
// values are interpolated. With the matrices of FlowMatrices, step number n is
//
//   u_c <- u_c + dt (f_c - (sum_d A_d (u_d u_c) + A_c P(p + q) + nu K u_c) / m),   then the boundary values,
//   K_p q = -g / dt,   g = sum_d W_d u_d = (div u, psi),
//   p  <- p + q - nu g / m_p,   with div(nu (grad u + grad u^T)) where nu varies (ViscousTerm).
//
// A temperature T is one more component that u carries, and T e a part of f (temperature.h).
// A_d stands for the paper's -C_d, but for boundary integrals. At open boundaries it gives nu d_n u - p n = g without a
// flux of momentum; there p = -g.n is prescribed (tractions.h).

#include "flow_data.h"
#include "pressure.h"
#include "temperature.h"

#include "flow/flow_results.h"
#include "flow/hanging_vertices.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/time_dependent_problem.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <iostream>
#include <optional>

using namespace dealii;
using namespace navier_stokes;
using adamant::Array, adamant::PendingResult;

template <int dim>
class NavierStokes : public adamant::TimeDependentProblem<dim>
{
public:
  NavierStokes(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh)
    , parameters(parameters)
    , speed(device)
    , steady(parameters.time.steady_tolerance)
  {}

private:
  using Vector = adamant::Vector<double>;
  using Base   = adamant::TimeDependentProblem<dim>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::schedule, Base::step, Base::time, Base::download,
    Base::timed;

  // Makes the pressure mesh and refines it once more.
  void make_mesh() override
  {
    parameters.mesh.make(*mesh);
    adamant::refine_global(*mesh, 1);
    if (!adamant::is_distributed(*mesh) && !parameters.adaptivity.on()) // the mesh stays
      {
        adamant::HangingVertices<dim>().straighten(*mesh, 1);
        mesh->reset_all_manifolds(); // coarser levels take the vertices as they are; p4est's place them again
      }
    parameters.problem.check(*mesh);
    adamant::check_boundaries("Output/Force boundaries", parameters.output.force_boundaries, *mesh);
  }

  void setup() override
  {
    timed("init/matrices", [this] { setup_matrices(); });
    timed("init/initial values", [this] { setup_data(); });
    timed("init/solver", [this] {
      set_solver(solver, device, *flow, mapping, parameters);
      products.emplace(device, *flow, parameters.implementation.separates(device), temperature->diffusion(mapping));
    });
    if (step == 0) // later the mesh changes from step to step
      {
        std::cout << *flow << '\n';
        if (solver->multigrid)
          std::cout << *solver->multigrid;
      }
    this->describe({flow->n_unknowns(), mesh->n_global_active_cells(), flow->pressure_levels, parameters.linear_solver,
                    parameters.time.extrapolation_order},
                   solver->multigrid.get());
    record["shortest_edge"] = adamant::shortest_edge(*mesh);
  }

  // Makes matrices and constraints, and the objects that evaluate with them.
  void setup_matrices()
  {
    flow.emplace(*mesh, mapping, QGauss<dim>(2), parameters.problem.all(&ProblemParameters::is_open, *mesh),
                 this->level_mesh_options(parameters.linear_solver, FE_Q<dim>(1)),
                 parameters.problem.viscosity_on(*mesh));
    results.emplace(*flow, mapping, parameters.output, parameters.problem.viscosity, parameters.temperature.on());
    hanging.emplace(device, flow->velocity(), dim);
    pressure = Pressure<dim>(device, *flow, parameters.adaptivity.on());
    temperature.emplace(device, parameters, *flow, mapping);
    for (Vector &velocity : u)
      velocity = Vector(device, dim * flow->velocity().n_owned());
  }

  // Sets prescribed values and the limit of a step, which is at first that of the finest mesh that there may be.
  void setup_data()
  {
    data.emplace(device, parameters.problem, *flow, mapping, parameters.time.end);
    const double edge = adamant::shortest_edge(*mesh, step == 0 ? this->largest_level() : 0);
    const auto   now  = temperature->stable_step(edge, data->reference_speed, parameters.time.end);
    if (step > 0)
      return adamant::lower_limit(limit, now, schedule.step);
    std::cout << (limit = now).text << std::endl;
  }

  void set_initial_values() override
  {
    schedule = adamant::stable_schedule(schedule, parameters.time.end, limit, parameters.time.shortens());
    u[0].upload(data->initial_velocity().data());
    temperature->set_initial_values(schedule.step);
    apply_constraints();
    const auto acceleration = data->initial_acceleration(download(u[now]), *temperature);
    if (acceleration && !this->folder().empty()) // on all ranks, also on those without pressures, but for --dry-run
      timed("init/initial pressure", [&] { // equation (16) of the paper, (∇p, ∇ψ) = (a, ∇ψ) with the acceleration a
        pressure.set_rhs(*acceleration, data->tractions);
        project().wait();
        pressure.begin(data->tractions);
      });
  }

  PendingResult advance() override
  {
    part("data", [this] { data->evaluate(time - schedule.step, time); });
    velocity_step();
    part("pres-rhs", [this] { compute_divergence(); });
    PendingResult result;
    part("pres-solve", [&] { result = project(); });
    part("pres-up.solve", [this] { pressure.update(); });
    part("mom-rhs-p", [this] { pressure.interpolate(data->tractions); });
    solver->guess.keep(pressure.q);
    return result;
  }

  // Runs a part of a step. To be timed, it has to be waited for.
  template <typename Work>
  void part(const char *name, const Work &work)
  {
    if (!parameters.output.time_parts)
      return work();
    timed(name, [&] {
      work();
      device.synchronize();
    });
  }

  // Computes the explicit step to u[now].
  void velocity_step()
  {
    const adamant::VelocityUpdate<dim> update{flow->velocity().n_owned(), schedule.step,      u[now].data(),
                                              data->inverse_mass.data(),  data->force.data(), u[1 - now].data()};
    const auto                        *heat = temperature->begin_step(time, schedule.step);
    products->momentum(
      update, u[now], pressure.on_velocity_mesh, [this](const char *name, const auto &work) { part(name, work); }, heat,
      temperature->T_old);
    if (temperature->is_implicit())
      part("temperature", [&] { temperature->end_step(*products, update); });
    now = 1 - now;
    part(products->separate() ? "mom-solve" : "momentum", [this] { apply_constraints(); });
  }

  void apply_constraints()
  {
    if (data->boundary.varies() || step == 0)
      data->boundary.apply(u[now]);
    data->constrain(u[now], *hanging);
    temperature->constrain();
  }

  void compute_divergence()
  {
    products->divergence(u[now], pressure.g);
    pressure.compute_rhs(schedule.step, data->tractions);
    speed.take(u[now], now);
  }

  // Launches the solve. Where the velocity is at fault, the error at its end says so, and not the solver's error.
  PendingResult project()
  {
    const auto result = PendingResult::of([this] { return solver->launch(pressure.b, pressure.q); });
    return PendingResult([this, result, heat = temperature->solved, step = step, time = time, place = now] {
      data->check_speed(speed.at(place, flow->velocity().n_global_dofs()), step, time, schedule.step, limit,
                        *temperature);
      if (step % 20 == 0 && data->is_driven())
        adamant::lower_limit(limit, temperature->stable_step(u[place], time), schedule.step,
                             !parameters.time.shortens());
      temperature->finish(heat, time, schedule.step);
      return result.wait();
    });
  }

  bool finished() const override { return steady.reached; }

  void serialize(adamant::State &state) override
  {
    adamant::serialize_step(state, schedule, limit, parameters.time.end);
    state.scalar(steady.reached);
    results->serialize(state);
    if (state.changes_mesh() && !state.loading())
      products->divergence(u[now], pressure.g);
    state.vector(u[now], flow->velocity(), dim);
    if (state.loading())
      data->evaluate(time - (step > 0 ? schedule.step : 0.), time);
    temperature->serialize(state, time);
    pressure.serialize(state, *flow, solver->guess, data->tractions);
    if (state.changes_mesh() && state.loading())
      timed("remesh/projection", [this] { restore_divergence(); });
  }

  // On a new mesh the velocity is interpolated: boundary values, and by a small correction the divergence g of
  // the old mesh.
  void restore_divergence()
  {
    data->boundary.apply(u[now]);
    data->constrain(u[now], *hanging);
    adamant::DivergenceProjection<dim> projection(
      *flow, *products, [this](Vector &velocity) { data->constrain(velocity, *hanging); }, data->inverse_mass,
      pressure.interpolation, *solver->multigrid);
    results->count_change(
      projection.apply(pressure.g, u[now], parameters.linear_solver.options("divergence on a new mesh").control));
  }

  void add_statistics(adamant::Statistics::Row &row) override
  {
    const bool has_forces = !parameters.output.boundaries_with_force().empty();
    const auto before     = has_forces ? download(u[1 - now]) : Array<double>();
    temperature->evaluate(time, schedule.step, u[1 - now], *products);
    const double at_rest  = 1e-8 * double(record["shortest_edge"]) / schedule.step; // crosses a cell in 1e8 steps
    const auto   change   = steady.test(temperature->with_old({{&u[now], &u[1 - now], at_rest}}), schedule.step);
    const auto   velocity = download(u[now]); // old fields are not needed any more
    const auto   acceleration =
      has_forces ? data->lacking_acceleration(time, schedule.step, velocity, before, *temperature) : Array<double>();
    results->evaluate(velocity, download(pressure.on_velocity_mesh), download(pressure.p), download(pressure.g),
                      acceleration, schedule.step, temperature->on_host());
    results->add_to(row, change);
    temperature->add_to(row);
  }

  std::vector<const Vector *> output_vectors() const override
  {
    return temperature->with({&u[now], &pressure.on_velocity_mesh});
  }

  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    adamant::write_flow(flow->velocity(), mapping, results->derived, values, series, t);
  }

  adamant::FollowedField<dim> followed(const std::string &name) const override
  {
    const Vector &scalar = name == "pressure" ? pressure.on_velocity_mesh : temperature->T;
    return {&flow->velocity(), name == "velocity" ? &u[now] : &scalar, {}, name == "velocity" ? dim : 1};
  }

  // Records the settings and the results.
  void report() override
  {
    record["time_step"]       = schedule.step;
    record["time_step_limit"] = limit.limit;
    record["end_time"]        = time;
    record["steady"]          = steady.reached;
    parameters.implementation.add_to(record);
    products->add_to(record);
    results->add_to(record);
    temperature->add_to(record);
    const auto velocity = download(u[now]), on_velocity_mesh = download(pressure.on_velocity_mesh);
    results->write_profiles(velocity, on_velocity_mesh, this->folder(), record, temperature->on_host());
    data->add_errors(velocity, on_velocity_mesh, time, record);
    results->print(time, finished());
  }

  const Parameters                         &parameters;
  std::optional<adamant::FlowMatrices<dim>> flow;
  std::optional<Temperature<dim>>           temperature;
  std::optional<FlowData<dim>>              data;
  std::optional<adamant::HangingNodes<dim>> hanging;
  std::optional<adamant::FlowProducts<dim>> products;
  std::optional<adamant::PoissonSolver>     solver;
  std::optional<adamant::FlowResults<dim>>  results;

  Vector               u[2];
  int                  now = 0; // u[now] is the velocity
  Pressure<dim>        pressure;
  adamant::StepLimit   limit; // the shortest of all meshes so far
  adamant::MeanSpeed   speed;
  adamant::SteadyState steady; // whether the flow is
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, NavierStokes>(argc, argv, "navier_stokes",
                                                        "Solves the Navier-Stokes equations by explicit pressure "
                                                        "correction with multigrid (Liebchen et al., Section 5.3).");
}
