// Stokes flow with a viscosity that varies by many orders of magnitude:
//
//   -div(2 η ε(u)) + ∇p = f,   div u = 0,
//
// u = 0 (no slip), u·n = 0 without tangential stress (free slip), or u prescribed on each boundary. StokesFlow has
// discretization and solver; here are the cases, refined meshes, continuation in the contrast, and errors.

#include "data.h"

#include "coefficients/level_points.h"
#include "coefficients/values_at_points.h"
#include "evaluation/flow_quantities.h"
#include "evaluation/point_values.h"
#include "fem/forms/integrals.h"
#include "fem/functions/error_estimate.h"
#include "fem/functions/points.h"
#include "fem/spaces/level_space.h"
#include "frame/linear_solver_setup.h"
#include "frame/output/output.h"
#include "frame/program.h"
#include "frame/run.h"
#include "frame/time_dependent_problem.h"
#include "stokes/stokes_flow.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <iostream>
#include <optional>
#include <utility>

using namespace stokes;

template <int dim>
class Stokes : public adamant::TimeDependentProblem<dim>
{
public:
  Stokes(const Parameters &parameters, const adamant::Device &device, adamant::Run &run)
    : Base(device, run, adamant::Schedule::stationary(parameters.output.files), {}, parameters.mesh,
           parameters.discretization.degree())
    , parameters(parameters)
    , data(make_case<dim>(parameters.problem))
  {}

private:
  using Base   = adamant::TimeDependentProblem<dim>;
  using Vector = adamant::Vector<double>;
  using Base::device, Base::mesh, Base::mapping, Base::record, Base::step, Base::timed;

  // Makes the pressure mesh and refines it once more.
  void make_mesh() override
  {
    parameters.mesh.make(*mesh);
    refine_for_viscosity(data.viscosity, parameters.refinement.ratio, parameters.refinement.for_viscosity, *mesh);
    adamant::refine_global(*mesh, 1);
  }

  // Solves, and refines where Kelly's estimator of the velocity is largest.
  void adapt_mesh() override
  {
    for (unsigned int cycle = 0; cycle < parameters.refinement.for_velocity; ++cycle)
      {
        setup();
        advance();
        const auto values = this->download(flow->u);
        timed("init/mesh", [&] {
          const auto errors = adamant::estimate_errors(flow->space(), mapping, values.data());
          flag_families(*mesh, flow->matrices(), errors, parameters.refinement.fraction);
          evaluation.reset(); // what refers to the mesh as it was
          flow.reset();
          adamant::execute_refinement(*mesh);
        });
      }
  }

  void setup() override
  {
    timed("init/matrices", [this] { setup_flow(); });
    timed("init/right-hand side", [this] { setup_load(); });
    setup_viscosity();
    print_size();
    this->describe({flow->n_unknowns(), flow->space().triangulation().n_global_active_cells(),
                    flow->matrices().data().velocity, parameters.linear_solver});
  }

  // Prints sizes, and a note where bodies of a case are smaller than two cells, or the block's faces lie within cells.
  void print_size() const
  {
    const auto &matrices = flow->matrices();
    const auto &cells    = flow->space().triangulation();
    std::cout << cells.n_global_active_cells() << " cells, " << flow->space().n_global_dofs() << " velocities, "
              << matrices.pressure.finest().n_global_dofs() << " pressures, " << matrices.data().velocity.size()
              << " levels, " << to_text(flow->precision()) << std::endl;
    const bool   balls = parameters.problem.name == "nsinker", block = parameters.problem.name == "sinker";
    const double h = GridTools::minimal_cell_diameter(cells) / std::sqrt(dim); // length of the edges, if they are cubes
    if ((balls && 0.1 < 1.999 * h) || (block && 0.2 < 1.999 * h))
      std::cout << "warning: the " << (balls ? "balls are" : "block is") << " unresolved, smaller than two cells\n";
    else if (block && std::abs(0.2 / h - std::round(0.2 / h)) > 1e-6)
      std::cout << "note: the block's faces lie within cells, so that errors are of first order; Mesh/Cells = 5, 5, 5 "
                   "avoids that\n";
  }

  void setup_flow()
  {
    flow.emplace(device, this->level_mesh_options(parameters.linear_solver, FE_Q<dim>(1)), *mesh, mapping,
                 parameters.problem, parameters.viscosity, parameters.linear_solver, parameters.schur(),
                 parameters.discretization.element());
    parameters.mesh.check_mapping(flow->space().triangulation(), mapping); // Q2 has other cells than `mesh`
    const auto &points   = parameters.output.points; // one that lies outside is found here, before anything is solved
    const auto &matrices = flow->matrices();
    velocity_at_points   = {device, "Output/Points", matrices.velocity, mapping, points, dim};
    pressure_at_points   = {device, "Output/Points", matrices.nodal_pressure, mapping, points, 1};
    evaluation.emplace(parameters.output, mapping, flow->fields(), flow->quantities());
  }

  void add_statistics(adamant::Statistics::Row &row) override
  {
    if (!parameters.output.statistics.empty())
      {
        const auto values = flow->values();
        evaluation->add_statistics(row, adamant::pointers(values));
      }
  }

  // Computes η on the cells of the velocity mesh, and with it all matrices.
  void setup_viscosity()
  {
    const auto &space      = flow->space();
    const auto &quadrature = flow->matrices().quadrature;
    const bool  given      = parameters.problem.name == "expressions";
    if (given)
      parameters.problem.viscosity.check_materials(space.communicator(), adamant::materials_of(space));
    const auto points = adamant::quadrature_points(space, mapping, quadrature);
    eta = flow->viscosity_of(Vector(device, viscosity_at(space, quadrature.size(), points, data.viscosity)), given);
    set_viscosity(eta.stage(1. / parameters.viscosity.stages));
  }

  void set_viscosity(adamant::CellViscosity stage)
  {
    timed(flow->solver_stays() ? "update" : "init/viscosity", [&] { flow->set_viscosity(std::move(stage)); });
    timed(flow->solver_stays() ? "rhs" : "init/right-hand side", [this] { flow->set_load(load); });
    timed(flow->solver_stays() ? "update" : "init/solver", [this] { flow->update_solver(); });
  }

  void setup_load()
  {
    const unsigned int n = parameters.discretization.degree() + 2; // points in each direction
    if (parameters.problem.name == "expressions")
      parameters.problem.body_force.check_materials(device.communicator(), adamant::materials_of(flow->space()));
    const auto F =
      adamant::load_vector<dim>(flow->space(), mapping, QGauss<dim>(n), QGauss<dim - 1>(n), data.force, {});
    adamant::require_numbers(device.communicator(), "Problem/Body force", F);
    load = Vector(device, adamant::transposed_product(flow->space().owned_H(), F));
  }

  // Solves in one stage unless a continuation is asked for.
  adamant::PendingResult advance() override
  {
    adamant::SolverResult result;
    for (unsigned int stage = 1; stage <= parameters.viscosity.stages; ++stage)
      {
        if (stage > 1)
          set_viscosity(eta.stage(double(stage) / parameters.viscosity.stages));
        const auto of_stage = timed("solve", [this] { return flow->solve(); });
        result = {result.iterations + of_stage.iterations, of_stage.initial_residual, of_stage.final_residual};
      }
    return result;
  }

  void serialize(adamant::State &state) override
  {
    if (state.loading() && parameters.viscosity.stages > 1)
      set_viscosity(eta.stage(1.));
    flow->serialize(state);
  }

  std::vector<const Vector *> output_vectors() const override { return {&flow->u, &flow->p, &flow->viscosity}; }

  void write(adamant::TimeSeries &series, double t, const std::vector<const double *> &values) const override
  {
    adamant::FieldOutput<dim> output;
    flow->add_output(output, derived, values[0], values[1], parameters.output.shows("viscosity") ? values[2] : nullptr);
    output.build_patches(mapping, parameters.discretization.degree());
    series.write(output, t);
  }

  // Records errors, values at points, and the balance of energy.
  void report() override
  {
    const auto  nodal_u = this->download(flow->u), nodal_p = this->download(flow->p);
    const auto &matrices = flow->matrices();
    if (!flow->prescribes_velocity())
      {
        record["dissipation"]   = flow->dissipation();
        record["work_of_force"] = flow->work();
      }
    record["precision"]        = to_text(flow->precision());
    record["max_velocity"]     = nodal_vector(flow->space(), nodal_u.data()).linfty_norm();
    record["velocities"]       = flow->space().n_global_dofs();
    record["pressures"]        = matrices.pressure.finest().n_global_dofs();
    record["hanging_nodes"]    = flow->space().n_hanging() / dim;
    record["viscosity"]        = {{"min", eta.scale * eta.least}, {"max", eta.scale * eta.most}};
    record["schur_complement"] = parameters.schur() == adamant::SchurComplement::bfbt ? "bfbt" : "mass";
    if (data.exact_velocity)
      record["errors"]["u_l2"] = l2_error(flow->space(), mapping, QGauss<dim>(5), nodal_u.data(), *data.exact_velocity);
    if (data.exact_pressure)
      record["errors"]["p_l2"] =
        l2_error(matrices.nodal_pressure.finest(), mapping, QGauss<dim>(5), nodal_p.data(), *data.exact_pressure);
    record["velocity_at_points"] = velocity_at_points(flow->u);
    record["pressure_at_points"] = pressure_at_points(flow->p);
    const auto values            = flow->values();
    evaluation->add_statistics(record, adamant::pointers(values));
    evaluation->write_samples(record, adamant::pointers(values), this->folder());
    std::cout << "largest velocity " << record["max_velocity"]
              << (record.contains("dissipation") ? ", dissipation " + record["dissipation"].dump() : "")
              << (data.exact_velocity ? ", L2 errors " + record["errors"].dump() : "") << std::endl;
  }

  const Parameters                       &parameters;
  const Case<dim>                         data;
  const adamant::DerivedFields<dim>       derived{parameters.output, adamant::flow_quantities<dim>()};
  std::optional<adamant::StokesFlow<dim>> flow;
  adamant::PointEvaluation                velocity_at_points, pressure_at_points;
  std::optional<adamant::Evaluation<dim>> evaluation;
  adamant::CellViscosity                  eta; // that of the last stage
  Vector                                  load;
};

int main(int argc, char **argv)
{
  return adamant::run_program<Parameters, Stokes>(
    argc, argv, "stokes", "Solves Stokes flow with strongly varying viscosity by multigrid in flexible GMRES.");
}
