// A composition c flows with a slow fluid whose viscosity and density it is:
//
//   -div(2 η ε(u)) + ∇p = ρ(c) g,   div u = 0,   ∂_t c + u · ∇c = 0,
//
// so that heavy bodies sink and light layers rise. In each time step u carries c along (LimitedTransport: explicit
// steps that keep its bounds). Then η and ρ follow from c at the quadrature points of the velocity mesh, and η is
// averaged in each cell. NonlinearFlow solves for the flow from the last one. The Courant number gives the step.

#include "diagnostics.h"
#include "parameters.h"

#include "evaluation/flow_quantities.h"
#include "expressions/values_at_points.h"
#include "fem/functions/points.h"
#include "frame/output/output.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/unknown.h"
#include "stokes/nonlinear_flow.h"

#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>

using namespace buoyant_flow;

template <int dim>
class BuoyantFlow : public adamant::TimeDependentProblem<dim>
{
public:
  BuoyantFlow(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, parameters.schedule(), parameters.adaptivity, parameters.mesh)
    , parameters(parameters)
    , law(device, "Problem/Viscosity", parameters.problem.viscosity)
    , density_of(adamant::function_of_numbers(device, "Problem/Density", {parameters.problem.density}, {"c"}))
  {}

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::step, Base::time, Base::timed;

  // Makes the pressure mesh and refines it once more.
  void make_mesh() override
  {
    parameters.mesh.make(*mesh);
    adamant::refine_global(*mesh, 1);
  }

  void setup() override
  {
    timed("init/matrices", [this] { setup_flow(); });
    timed("init/transport", [this] { setup_transport(); });
    new_mesh = true;
  }

  void setup_flow()
  {
    transport.reset();
    composition.reset();
    const auto &solver = parameters.linear_solver;
    flow.emplace(device, this->level_mesh_options(solver, FE_Q<dim>(1)), *mesh, mapping, parameters.problem,
                 parameters.viscosity, solver, solver.schur_complement(adamant::SchurComplement::mass), law,
                 parameters.problem.gravity);
    composition.emplace(flow->matrices().meshes, "composition", FE_Q<dim>(1));
    auto fields = flow->fields();
    fields.push_back({&composition->finest(), {"c"}});
    evaluation.emplace(parameters.output, mapping, fields, flow->quantities());
  }

  void setup_transport()
  {
    transport.emplace(device, *composition, flow->matrices().velocity, mapping);
    c                   = Vector(device, composition->finest().n_owned());
    c_at_points         = Vector(device, transport->n_points());
    at_points           = Vector(device, transport->n_points());
    load                = flow->velocity().vector();
    const auto &gravity = parameters.problem.gravity;
    diagnostics         = {device, *flow, *composition, *transport, gravity, mapping};
    adamant::Form<dim> force("force", flow->matrices().velocity, adamant::quadrature_points<dim>(), mapping,
                             transport->quadrature, update_values | update_JxW_values,
                             adamant::integral<dim>([&gravity](const auto &cell, auto i, auto q) {
                               return gravity[cell.component(i)] * cell.value(i, q);
                             }));
    G = adamant::assemble_on(device, force);
  }

  void set_initial_values() override
  {
    const std::string key     = "Problem/Initial composition";
    const auto        initial = adamant::parse_function<dim>(key, parameters.problem.initial_composition, 1);
    const auto        values  = adamant::nodal_values(composition->finest(), mapping, *initial);
    adamant::require_numbers(device.communicator(), key, values);
    c.upload(product(composition->finest().owned_H(), values).data()); // interpolated at hanging nodes
    solve_flow();
    const auto now = facts();
    bounds         = {{now.least, now.most}};
    first_mass     = now.mass;
  }

  // Computes η and the load from c.
  void update_material()
  {
    transport->evaluate(c, c_at_points);
    flow->set_input("c", c_at_points);
    timed(flow->solver_stays() ? "update" : "init/viscosity", [&] { flow->update_viscosity(); });
    density_of(c_at_points, at_points);
    device.multiply(1., G, at_points, 0., load);
    adamant::require(std::isfinite(device.dot(load, load)),
                     "Problem/Density times Problem/Gravity has values that are no numbers, or are too large");
    timed(flow->solver_stays() ? "rhs" : "init/right-hand side", [this] { flow->set_load(load); });
    timed(flow->solver_stays() ? "update" : "init/solver", [this] { flow->update_solver(); });
    if (!new_mesh)
      return;
    new_mesh = false;
    if (step == 0) // later the mesh changes from step to step
      std::cout << mesh->n_global_active_cells() << " cells, " << flow->n_unknowns() << " unknowns, "
                << flow->matrices().velocity.n_levels() << " levels, " << to_text(flow->precision())
                << ", average of the viscosity in cells: " << flow->average() << std::endl;
    this->describe(
      {flow->n_unknowns(), mesh->n_global_active_cells(), flow->matrices().data().velocity, parameters.linear_solver});
  }

  adamant::SolverResult solve_flow()
  {
    update_material();
    const auto result = timed("solve", [this] { return flow->solve(); });
    timed("transport", [this] { transport->set_velocity(flow->u); });
    return result;
  }

  double next_time() override
  {
    const auto &p = parameters.time;
    dt            = p.courant * transport->longest_step();
    if (p.longest > 0.)
      dt = std::min(dt, p.longest);
    if (p.end > 0.)
      dt = std::min(dt, p.end - time);
    if (!std::isfinite(dt) || (step == 1 && p.longest <= 0. && p.end <= 0. && !flow->moves()))
      throw adamant::RunError(
        "nothing moves beyond what Linear solver/Tolerance leaves, so that the Courant number gives no time step; a "
        "smaller tolerance may show what moves, or Time stepping/Longest time step or End time gives the step");
    return time + dt;
  }

  // Moves c by u, then computes η, ρ and u from c.
  adamant::PendingResult advance() override
  {
    timed("transport", [this] {
      transport->advance(dt, c);
      device.synchronize();
    });
    flow->extrapolate(dt);
    return solve_flow();
  }

  bool finished() const override { return parameters.time.end > 0. && time >= parameters.time.end * (1. - 1e-12); }

  // On a new mesh u is solved for anew, as what is interpolated there has a divergence.
  void serialize(adamant::State &state) override
  {
    if (state.loading() && parameters.time.end > 0. && time > parameters.time.end * (1. + 1e-12))
      throw adamant::InputError("--restart: the checkpoint is of time " + adamant::to_text(time) +
                                ", but Time stepping/End time is " + adamant::to_text(parameters.time.end));
    state.scalar(bounds[0]);
    state.scalar(bounds[1]);
    state.scalar(first_mass);
    state.vector(c, composition->finest());
    if (!state.loading())
      return flow->serialize(state);
    update_material();
    flow->serialize(state);
    if (state.changes_mesh())
      timed("solve", [this] { flow->solve(); });
    transport->set_velocity(flow->u);
  }

  Facts facts() const { return diagnostics(*transport, c, flow->u); }

  void add_statistics(adamant::Statistics::Row &row) override
  {
    const auto now = facts();
    bounds         = {{std::min(bounds[0], now.least), std::max(bounds[1], now.most)}};
    row.insert(row.end(), {{"time_step", dt},
                           {"least", now.least},
                           {"most", now.most},
                           {"mass", now.mass},
                           {"height", now.height},
                           {"speed", now.speed}});
    if (law.depends_on("strain"))
      row.insert(row.end(), {{"nonlinear_steps", flow->nonlinear_steps()}});
    if (parameters.output.any())
      evaluation->add_to(row, adamant::pointers(evaluated()));
  }

  std::vector<Array<double>> evaluated() const // what `evaluation` reads
  {
    auto values = flow->values();
    values.push_back(adamant::to_host(c));
    return values;
  }

  std::vector<const Vector *> output_vectors() const override { return {&flow->u, &flow->p, &flow->viscosity, &c}; }

  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    adamant::FieldOutput<dim> output;
    flow->add_output(output, derived, values[0], values[1], parameters.output.shows("viscosity") ? values[2] : nullptr);
    output.add(composition->finest(), values[3], "composition");
    output.build_patches(mapping, 1);
    series.write(output, t);
  }

  adamant::FollowedField<dim> followed(const std::string &name) const override
  {
    return name == "velocity" ? adamant::FollowedField<dim>{&flow->space(), &flow->u} :
                                adamant::FollowedField<dim>{&composition->finest(), &c};
  }

  void report() override
  {
    const auto now        = facts();
    record["end_time"]    = time;
    record["composition"] = {
      {"min", bounds[0]}, {"max", bounds[1]}, {"mass", now.mass}, {"first_mass", first_mass}, {"height", nullptr}};
    if (std::isfinite(now.height)) // there is mass
      record["composition"]["height"] = now.height;
    record["speed"] = now.speed;
    if (!flow->prescribes_velocity())
      record["dissipation"] = flow->dissipation();
    if (law.depends_on("strain"))
      record["nonlinear_steps"] = flow->nonlinear_steps();
    const auto &eta     = flow->cell_viscosity();
    record["viscosity"] = {{"min", eta.scale * eta.least}, {"max", eta.scale * eta.most}};
    record["precision"] = to_text(flow->precision());
    evaluation->add_to(record, adamant::pointers(evaluated()), this->folder());
    std::cout << "composition between " << bounds[0] << " and " << bounds[1] << ", mass changed by "
              << (first_mass != 0. ? (now.mass - first_mass) / first_mass : 0.) << ", height " << now.height
              << std::endl;
  }

  const Parameters                             &parameters;
  const adamant::DerivedFields<dim>             derived{parameters.output, adamant::flow_quantities<dim>()};
  adamant::ViscosityLaw                         law;
  adamant::NumberFunction                       density_of;
  std::optional<adamant::NonlinearFlow<dim>>    flow;
  std::optional<adamant::Field<dim>>            composition;
  std::optional<adamant::LimitedTransport<dim>> transport;
  std::optional<adamant::Evaluation<dim>>       evaluation;
  adamant::Matrix<double>                       G; // densities at the quadrature points to the load
  Vector                                        c, c_at_points, at_points, load;
  Diagnostics<dim>                              diagnostics;
  double                                        dt       = 0.;
  bool                                          new_mesh = false;
  std::array<double, 2>                         bounds{{1e300, -1e300}}; // of c in all steps so far
  double                                        first_mass = 0.;
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, BuoyantFlow>(
    argc, argv, "buoyant_flow",
    "Solves slow flow that a composition drives, and carries along: blocks that sink, layers that overturn.");
}
