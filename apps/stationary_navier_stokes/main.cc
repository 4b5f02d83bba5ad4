// Stationary flow, -ν Δu + (u·∇)u + ∇p = f and div u = 0, with -div(ν (∇u + ∇uᵀ)) where ν varies. On each boundary u,
// u·n or the traction ν ∂_n u - p n is prescribed. Elements for u and p are bilinear, with SUPG and PSPG, and nodes
// have dim + 1 unknowns (u, p): data.h has the integrands, equations.h the discrete equations. Newton's method, after
// some steps of Picard's, runs on one level mesh after the other (flow_level.h). Flexible GMRES solves its linear
// systems, around a V-cycle for all unknowns together that patches of cells smooth.

#include "continuation.h"
#include "estimator.h"
#include "results.h"
#include "timed_flow_level.h"

#include "fem/spaces/mesh_change.h"
#include "flow/hanging_vertices.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/time_dependent_problem.h"

#include <deal.II/grid/grid_refinement.h>

#include <deque>
#include <iomanip>
#include <iostream>
#include <optional>

using namespace stationary_navier_stokes;

template <int dim>
class StationaryNavierStokes : public adamant::TimeDependentProblem<dim>
{
public:
  StationaryNavierStokes(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, adamant::Schedule::stationary(parameters.output.files), {}, parameters.mesh)
    , parameters(parameters)
  {
    require(run.ranks.size() == 1 && !adamant::is_distributed(*mesh),
            "stationary_navier_stokes runs on one rank, with a serial mesh: patches of cells, residuals and nested "
            "iteration are not made on several");
  }

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Levels = std::deque<std::unique_ptr<FlowLevel<dim>>>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::step, Base::time, Base::timed;

  void make_mesh() override
  {
    parameters.mesh.make(*mesh);
    hanging.straighten(*mesh);
  }

  // Solves, and refines where the estimated error of the velocity is largest; the solution is the next guess.
  void adapt_mesh() override
  {
    for (unsigned int cycle = 0; cycle < parameters.refinement.cycles; ++cycle)
      {
        setup();
        advance();
        record["meshes"].push_back(summary());
        const auto values = this->download(u);
        timed("init/mesh", [&] {
          const auto   &space = finest().field.finest();
          ComponentMask velocities(dim + 1, true);
          velocities.set(dim, false);
          const auto errors =
            parameters.refinement.estimator == "residual" ?
              residual_indicators(parameters.problem, space, mapping, finest().equations.unresolved(u), values) :
              adamant::estimate_errors(space, mapping, values.data(), velocities);
          GridRefinement::refine_and_coarsen_fixed_number(*mesh, errors, parameters.refinement.fraction, 0.);
          change = std::make_unique<adamant::MeshChange<dim>>(*mesh);
          change->keep(space, values.data());
          change->prepare();
          samples.reset(); // what refers to the mesh as it was
          levels.clear();
          meshes.reset();
          hanging.restore(*mesh);
          change->execute();
          hanging.straighten(*mesh);
        });
      }
  }

  void setup() override
  {
    timed("init/hierarchy", [this] {
      meshes.emplace(*mesh, this->level_mesh_options(parameters.linear_solver, flow_element<dim>()));
      const auto &space = add_level(meshes->size() - 1).field.finest();
      samples.emplace(parameters, space, mapping, finest().equations, u);
      check_flux(parameters.problem, space, mapping);
      require_no_rigid_motion(parameters.problem, *mesh, false);
      check_coarsest_level(parameters, finest().field.space(0).n_dofs());
      x = finest().on_device.vector();
      u = finest().on_device.vector();
    });
    if (parameters.nonlinear.nested && !change)
      timed("init/coarser problems", [this] { make_coarser(); });
    timed("init/solver", [this] { finest().linearize(x, adamant::Linearization::picard); });
    this->describe(finest().field, finest().equations.J, finest().linear_solver(), parameters.linear_solver);
  }

  // The first one is the finest; its smallest viscosity is the unit of others.
  FlowLevel<dim> &add_level(std::size_t l)
  {
    const auto part = [this](const std::string &name, const auto &work) { timed(name, work); };
    levels.push_front(std::make_unique<TimedFlowLevel<dim>>(part, device, parameters, *meshes, l, mapping,
                                                            levels.empty() ? 0. : finest().viscosity));
    return *levels.front();
  }

  // Makes the problems on the coarser meshes, as far as they do not depend on the solution, and the transfers.
  void make_coarser()
  {
    for (std::size_t l = meshes->size() - 1; l-- > 0;)
      {
        const auto &finer = levels.front()->field.finest();
        auto       &flow  = add_level(l);
        flow.linearize(flow.on_device.vector(), adamant::Linearization::picard);
        to_finer.emplace_front(device, adamant::embedding((*meshes)[l + 1], finer, flow.field.finest()));
      }
  }

  adamant::PendingResult advance() override
  {
    if (change)
      x.upload(change->take(finest().field.finest()).data());
    const auto result = change ? solve_on(finest(), x) : solve_nested();
    set_nodal_values();
    if (finest().has_constant_pressure) // of x, which checkpoints hold, so that a continued run has equal bits
      {
        auto values = this->download(u);
        for (std::size_t i = dim; i < values.size(); i += dim + 1)
          values[i] -= integrals.pressure / integrals.volume;
        x.upload(values.data());
        device.copy(finest().nodal_values(x), u);
      }
    return adamant::SolverResult{result.iterations, result.initial_residual, result.final_residual};
  }

  // Solves to the tolerance on the finest mesh; where that fails, it writes the last solution. Other meshes have the
  // tolerance of levels. Where the viscosity is too small for such a mesh, the next one goes on from the last solution.
  adamant::NewtonResult solve_on(FlowLevel<dim> &flow, Vector &x)
  {
    const auto &nonlinear = parameters.nonlinear;
    const bool  is_finest = &flow == &finest();
    try
      {
        return is_finest ? continuation.solve(flow, nonlinear.tolerance, flow.residual_at_rest(), x) :
                           continuation.solve(flow, nonlinear.level_tolerance, 0., x);
      }
    catch (const adamant::SolverError &error)
      {
        if (!is_finest)
          return {};
        const auto nodal = adamant::to_host(flow.nodal_values(x));
        if (parameters.output.files && continuation.last_viscosity > 0.)
          {
            adamant::TimeSeries series(this->begin_output(), "last_solution"); // this may be the first file
            write_state(flow.field.finest(), mapping, derived, nodal.data(), series, 0.);
          }
        throw adamant::SolverError(
          error.what() + continuation.advice() + "; the largest Reynolds number of a cell is " +
          adamant::to_text(largest_cell_speed(flow.field.finest(), nodal) / flow.equations.least));
      }
  }

  // Solves on one level mesh after the other, from the coarsest on, and frees each level that it has used.
  adamant::NewtonResult solve_nested()
  {
    Vector next = levels.front()->on_device.vector();
    for (; !to_finer.empty(); to_finer.pop_front(), levels.pop_front())
      {
        solve_on(*levels[0], next);
        Vector fine = levels[1]->on_device.vector();
        device.multiply(1., to_finer[0], levels[0]->nodal_values(next), 0., fine);
        std::swap(next, fine);
        device.synchronize();
      }
    const auto result = solve_on(finest(), next);
    std::swap(x, next);
    return result;
  }

  void set_nodal_values()
  {
    device.copy(finest().nodal_values(x), u);
    integrals = flow_integrals(finest().field.finest(), mapping, this->download(u));
  }

  void serialize(adamant::State &state) override
  {
    state.unknowns(x, finest().on_device.space());
    // The record's numbers of the way to the solution.
    std::string way = adamant::RunRecord{{"solves", solves}, {"meshes", record.value("meshes", solves)}}.dump();
    state.scalar(way);
    state.scalar(finest().n_accepted);
    if (!state.loading())
      return;
    set_nodal_values();
    const auto loaded = adamant::RunRecord::parse(way);
    solves            = loaded.at("solves");
    if (parameters.refinement.cycles > 0)
      record["meshes"] = loaded.at("meshes");
  }

  // Returns the numbers of the flow on one of the meshes.
  adamant::RunRecord summary()
  {
    const auto        &space = finest().field.finest();
    adamant::RunRecord record{{"cells", space.n_cells()},
                              {"dofs", space.n_dofs()},
                              {"hanging_nodes", space.n_hanging() / (dim + 1)},
                              {"kinetic_energy", integrals.energy}};
    for (const auto id : parameters.output.force_boundaries)
      record["forces"][std::to_string(id)] = samples->force_on(id);
    return record;
  }

  void add_statistics(adamant::Statistics::Row &row) override { samples->add_to(row, this->download(u)); }

  std::vector<const Vector *> output_vectors() const override { return {&u}; }

  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    write_state(finest().field.finest(), mapping, derived, values[0], series, t);
  }

  void report() override
  {
    record["viscosity"] = finest().equations.record_of_viscosity();
    record.update(summary());
    record["nonlinear"]         = solves;
    record["unfinished_solves"] = finest().n_accepted;
    samples->record(this->download(u), this->folder(), record);
    std::cout << "kinetic energy " << std::setprecision(8) << integrals.energy << std::endl;
  }

  FlowLevel<dim> &finest() const { return *levels.back(); }

  const Parameters                         &parameters;
  adamant::HangingVertices<dim>             hanging;
  std::optional<adamant::LevelMeshes<dim>>  meshes;
  Levels                                    levels;   // the last one on the finest mesh; others for nested iteration
  std::deque<adamant::Matrix<double>>       to_finer; // takes nodal values from one of the levels to the next one
  std::optional<Samples<dim>>               samples;  // of the flow on the finest mesh
  Vector                                    x, u;     // unknowns (u, p), and nodal values
  adamant::RunRecord                        solves = adamant::RunRecord::array();
  Continuation<dim>                         continuation{parameters, solves};
  std::unique_ptr<adamant::MeshChange<dim>> change; // which the last solution goes through; null: there is none
  adamant::FlowIntegrals                    integrals;
  const adamant::DerivedFields<dim>         derived{parameters.output,
                                            adamant::flow_quantities<dim>(parameters.problem.viscosity)};
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, StationaryNavierStokes>(
    argc, argv, "stationary_navier_stokes",
    "Solves the stationary Navier-Stokes equations by Newton's method and multigrid for velocity and pressure "
    "together.");
}
