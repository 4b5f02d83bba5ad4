// A composition c flows with a slow fluid whose viscosity and density it is:
//
//   -div(2 η ε(u)) + ∇p = ρ(c) g,   div u = 0,   ∂_t c + u · ∇c = 0,
//
// so that heavy bodies sink and light layers rise. In each time step u carries c along (LimitedTransport: explicit
// steps that keep its bounds). Then η and ρ follow from c at the quadrature points of the velocity mesh, and η is
// averaged in each cell. NonlinearFlow solves for the flow from the last one. The Courant number gives the step.
// Where the section Temperature gives a temperature T, HeatEquation advances it before c, and η and ρ may depend on it.

#include "buoyancy.h"
#include "composition.h"
#include "parameters.h"
#include "repeated_step.h"

#include "coefficients/expression_text.h"
#include "evaluation/flow_quantities.h"
#include "frame/output/output.h"
#include "frame/program.h"
#include "frame/run.h"
#include "heat/heat_tables.h"
#include "heat/steady_values.h"

#include <deal.II/fe/fe_q.h>

#include <cmath>
#include <iostream>
#include <map>
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
    , density_of(adamant::function_of_numbers(device, "Problem/Density", {parameters.problem.density},
                                              parameters.names_of_density()))
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
    heat.reset();
    composition.reset();
    const auto &solver = parameters.linear_solver;
    flow.emplace(device, this->level_mesh_options(solver, FE_Q<dim>(1)), *mesh, mapping, parameters.problem,
                 parameters.viscosity, solver, solver.schur_complement(adamant::SchurComplement::mass), law,
                 parameters.problem.gravity);
  }

  void setup_transport()
  {
    const auto &gravity = parameters.problem.gravity;
    composition.emplace(device, *flow, parameters.problem, mapping);
    power.emplace(device, *flow, mapping, gravity);
    auto fields = flow->fields();
    fields.push_back({&composition->space(), {"c"}});
    if (parameters.temperature.on())
      {
        heat.emplace(device, flow->matrices().velocity, mapping, parameters.temperature, &composition->transport);
        heat->watch(notes, parameters.problem.all(&adamant::FlowBoundaries::prescribes, *mesh),
                    parameters.problem.all(&adamant::FlowBoundaries::is_open, *mesh));
        fields.push_back({&heat->shown_space(), {"T"}, {"mean_T"}});
      }
    tables.set_up(flow->space(), composition->space(), present_heat(), mapping, gravity);
    evaluation.emplace(parameters.output, mapping, fields, flow->quantities());
    buoyancy.emplace(device, parameters, density_of, *flow, mapping, composition->transport);
  }

  const adamant::HeatEquation<dim> *present_heat() const { return heat ? &*heat : nullptr; }

  void set_initial_values() override
  {
    composition->set_initial_values();
    if (heat)
      heat->set_initial_values();
    solve_flow();
    if (heat)
      heat->check_start(flow->u);
  }

  // Computes η and the load from c and T.
  void update_material()
  {
    buoyancy->set_inputs(composition->c, present_heat(), *flow);
    timed(flow->solver_stays() ? "update" : "init/viscosity", [&] { flow->update_viscosity(); });
    buoyancy->update();
    timed(flow->solver_stays() ? "rhs" : "init/right-hand side", [this] { flow->set_load(buoyancy->load); });
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
    if (sets_transport)
      timed("transport", [this] { composition->transport.set_velocity(flow->u); });
    return result;
  }

  double next_time() override
  {
    const auto &p = parameters.time;
    dt = p.step(heat ? heat->next_step(flow->u) : p.courant * composition->transport.longest_step(), time, notes);
    if (!std::isfinite(dt) || (step == 1 && !(p.gives_step() || heat) && !flow->moves()))
      throw adamant::RunError(p.nothing_moves);
    return (start = time) + dt;
  }

  adamant::PendingResult advance() override
  {
    try
      {
        return repeated(
          start, dt, [this](auto &state) { serialize(state); }, [this] { return take_step(); });
      }
    catch (const adamant::SolverError &)
      { // in the state before the step
        --step;
        time = start;
        update_material();
        this->write_last_state();
        throw;
      }
  }

  // Moves T and c by u, then computes η, ρ and u from them.
  adamant::PendingResult take_step()
  {
    time = start + dt;
    if (heat)
      timed(heat->solver_stays() ? "temperature" : "init/solver", [this] { heat->advance(time, dt, flow->u); });
    if (carries)
      timed("transport", [this] {
        composition->transport.advance(dt, composition->c);
        device.synchronize();
      });
    flow->extrapolate(dt);
    const auto result = solve_flow();
    if (parameters.time.steady > 0.)
      steady.add(time, (*power)(buoyancy->density).speed, heat ? heat->fluxes() : std::map<unsigned int, double>());
    return result;
  }

  bool finished() const override { return parameters.time.reached(time) || steady.change() < parameters.time.steady; }

  // On a new mesh u is solved for anew, as what is interpolated there has a divergence.
  void serialize(adamant::State &state) override
  {
    if (state.loading())
      parameters.time.check_restart(time);
    composition->serialize(state);
    tables.serialize(state);
    steady.serialize(state);
    if (heat)
      heat->serialize(state, time);
    if (!state.loading() || state.goes_back())
      return flow->serialize(state);
    update_material();
    flow->serialize(state);
    if (state.changes_mesh())
      timed("solve", [this] { flow->solve(); });
    if (sets_transport)
      composition->transport.set_velocity(flow->u);
  }

  void add_statistics(adamant::Statistics::Row &row) override
  {
    row.push_back({"time_step", dt});
    if (carries)
      composition->add_to(row);
    power->add_to(row, buoyancy->density);
    if (law.depends_on("strain"))
      row.insert(row.end(), {{"nonlinear_steps", flow->nonlinear_steps()}});
    if (heat)
      heat->add_to(row);
    if (parameters.output.any())
      evaluation->add_to(row, adamant::pointers(evaluated()));
  }

  std::vector<Array<double>> evaluated() const // what `evaluation` reads
  {
    auto values = flow->values();
    values.push_back(adamant::to_host(composition->c));
    if (heat)
      values.push_back(adamant::to_host(heat->shown()));
    return values;
  }

  std::vector<const Vector *> output_vectors() const override
  {
    std::vector<const Vector *> vectors = {&flow->u, &flow->p, &flow->viscosity, &composition->c};
    if (heat)
      vectors.insert(vectors.end(), {&heat->shown(), &heat->residuals(), &heat->T});
    return vectors;
  }

  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    adamant::FieldOutput<dim> output;
    flow->add_output(output, derived, values[0], values[1], parameters.output.shows("viscosity") ? values[2] : nullptr);
    output.add(composition->space(), values[3], "composition");
    if (heat)
      output.add(heat->shown_space(), values[4], "temperature");
    output.build_patches(mapping, heat ? heat->space().element().degree : 1);
    series.write(output, t);
    tables.write(this->folder(), t, values);
  }

  adamant::FollowedField<dim> followed(const std::string &name) const override
  {
    using Followed = adamant::FollowedField<dim>;
    return name == "temperature" ? Followed{&heat->shown_space(), &heat->shown()} :
           name == "velocity"    ? Followed{&flow->space(), &flow->u} :
                                   Followed{&composition->space(), &composition->c};
  }

  void report() override
  {
    record["end_time"] = time;
    power->add_to(record, buoyancy->density);
    if (carries)
      composition->add_to(record);
    if (parameters.time.steady > 0.)
      steady.add_to(record, parameters.time.steady);
    if (heat)
      {
        heat->add_to(record);
        if (const auto &eta = flow->cell_viscosity(); !flow->moves()) // perhaps for want of a perturbation
          heat->check_rest(eta.scale * eta.most, parameters.problem.gravity, buoyancy->density);
      }
    tables.write_last(this->folder(), time, output_vectors(), record);
    if (law.depends_on("strain"))
      record["nonlinear_steps"] = flow->nonlinear_steps();
    record["precision"] = to_text(flow->precision());
    evaluation->add_to(record, adamant::pointers(evaluated()), this->folder());
  }

  const Parameters                          &parameters;
  const adamant::DerivedFields<dim>          derived{parameters.output, adamant::flow_quantities<dim>()};
  adamant::ViscosityLaw                      law;
  adamant::NumberFunction                    density_of;
  std::optional<adamant::NonlinearFlow<dim>> flow;
  std::optional<Composition<dim>>            composition;
  std::optional<adamant::HeatEquation<dim>>  heat; // where there is a temperature
  std::optional<Buoyancy<dim>>               buoyancy;
  std::optional<adamant::PowerOfFlow<dim>>   power;
  std::optional<adamant::Evaluation<dim>>    evaluation;
  mutable adamant::HeatTables<dim>           tables{parameters.tables};
  adamant::Notes                             notes;
  adamant::SteadyValues                      steady;
  RepeatedStep                               repeated{law};
  // A composition that is equal everywhere stays so; without temperature its Courant number still gives the step.
  const bool carries = !parameters.temperature.on() || !adamant::is_constant(parameters.problem.initial_composition);
  const bool sets_transport = carries && !parameters.temperature.is_limited(); // else the temperature does it
  double     start = 0., dt = 0.;                                              // of the step
  bool       new_mesh = false;
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, BuoyantFlow>(
    argc, argv, "buoyant_flow",
    "Solves slow flow that a composition drives, and carries along: blocks that sink, layers that overturn.");
}
