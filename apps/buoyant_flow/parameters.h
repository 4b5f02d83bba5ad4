#pragma once

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "flow/flow_boundaries.h"
#include "frame/adaptivity.h"
#include "frame/parameters/time_parameters.h"
#include "heat/heat_notes.h"
#include "heat/heat_tables.h"
#include "meshes/mesh_parameters.h"
#include "solvers/krylov.h"
#include "stokes/stokes_parameters.h"
#include "stokes/viscosity_law.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <string>
#include <vector>

namespace buoyant_flow
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : adamant::FlowBoundaries
{
  unsigned int        dimension           = 2;
  std::string         initial_composition = "if(abs(x-0.5)<0.1 & abs(y-0.75)<0.1, 1, 0)";
  std::string         viscosity = "10^(3*c)", density = "c";
  std::vector<double> gravity = {0., -1., 0.};

  explicit ProblemParameters(const adamant::MeshParameters &mesh)
    : FlowBoundaries(mesh, {"x, y, z", "(eta (grad u + grad u^T) - p) n", "free_slip", "", ""})
  {
    add_parameter("Dimension", dimension, "2 or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Initial composition", initial_composition, "c at time 0: expression of x, y, z");
    add_parameter("Viscosity", viscosity,
                  "eta: expression of the composition c, the temperature T, the depth below the highest point, and the "
                  "strain rate strain = sqrt(eps:eps), eps = (grad u + grad u^T)/2");
    add_parameter("Density", density,
                  "rho: expression of c, and of T where there is a temperature, such as 4.5e5*c-3e5*T; a density that "
                  "is equal everywhere moves nothing");
    add_parameter("Gravity", gravity, "g, a component for each dimension: the force is rho g");
  }

  void check(const std::vector<std::string> &names_of_density) const
  {
    adamant::check_expression("Problem/Initial composition", initial_composition, 1, dimension);
    adamant::ViscosityLaw::check("Problem/Viscosity", viscosity, names_of_density.size() > 1);
    adamant::parse_function_of(names_of_density, "Problem/Density", density);
    require(gravity.size() >= dimension, "Problem/Gravity has ", gravity.size(),
            " components, but Problem/Dimension is ", dimension);
    require(std::any_of(gravity.begin(), gravity.begin() + dimension, [](double g) { return g != 0.; }),
            "Problem/Gravity is zero, so that nothing can flow");
    FlowBoundaries::check(dimension);
  }
};

struct TimeParameters : ParameterAcceptor
{
  unsigned int steps = 50, output_interval = 5;
  double       courant = 1., end = 0., longest = 0., steady = 0.;

  TimeParameters()
    : ParameterAcceptor("/Time stepping")
  {
    using namespace Patterns;
    add_parameter("Steps", steps, "Most time steps", prm, Integer(1));
    add_parameter("End time", end, "Latest end of the run; 0: Steps alone end it", prm, Double(0.));
    add_parameter("Courant number", courant,
                  "The time step over the longest one with which the composition surely keeps its bounds; above 1 the "
                  "composition takes several steps in each step of the flow. With a temperature, Temperature/Courant "
                  "number gives the step",
                  prm, Double(1e-3, 100.));
    add_parameter("Longest time step", longest, "Limit where the flow is slow; 0: none", prm, Double(0.));
    add_parameter(
      "Steady tolerance", steady,
      "The run ends when the speed and the fluxes of heat have changed by less than this, relative to their "
      "size, over 20 steps and a tenth of the time; 0: it does not",
      prm, Double(0.));
    add_parameter("Output interval", output_interval, "Steps between VTU files; 0: none", prm, Integer(0));
  }

  bool gives_step() const { return longest > 0. || end > 0.; } // also for a fluid at rest
  // Returns the step from this time where the flow allows steps up to `allowed`.
  double step(double allowed, double time, adamant::Notes &notes) const
  {
    if (longest > 0. && longest < allowed && time > 0.)
      notes.once("longest", "the time step is Time stepping/Longest time step = " + adamant::to_text(longest) +
                              ", where the flow would allow " + adamant::to_text(allowed));
    const double dt = longest > 0. ? std::min(allowed, longest) : allowed;
    return end > 0. ? std::min(dt, end - time) : dt;
  }
  bool reached(double time) const { return end > 0. && time >= end * (1. - 1e-12); }
  void check_restart(double time) const
  {
    require(!(end > 0. && time > end * (1. + 1e-12)), "--restart: the checkpoint is of time ", adamant::to_text(time),
            ", but Time stepping/End time is ", adamant::to_text(end));
  }

  static constexpr const char *nothing_moves =
    "nothing moves beyond what Linear solver/Tolerance leaves, so that the Courant number gives no time step; a "
    "smaller tolerance may show what moves, or Time stepping/Longest time step or End time gives the step";
};

struct Parameters
{
  adamant::MeshParameters               mesh{"pressure mesh", "; the velocity mesh has one more", 1, 4};
  ProblemParameters                     problem{mesh};
  adamant::HeatParameters               temperature{mesh};
  TimeParameters                        time;
  adamant::NonlinearViscosityParameters viscosity;
  adamant::AdaptivityParameters         adaptivity{{"composition", "velocity", "temperature"}, true};
  adamant::StokesOutputParameters       output{mesh, "the fields are recorded with the statistics", "c, T, "};
  adamant::HeatTableParameters          tables{mesh};
  adamant::StokesSolverParameters       linear_solver{"mass"};

  Parameters() { output.add_statistics_interval(); }

  adamant::Schedule schedule() const { return {1., time.steps, time.output_interval, output.statistics_interval}; }

  // Returns the keys that a continued run may not change.
  adamant::RestartKeys restart_keys() const { return output.of_columns(); }

  unsigned int dim() const { return problem.dimension; }

  // The composition, and the temperature where there is one.
  std::vector<std::string> names_of_density() const
  {
    return temperature.on() ? std::vector<std::string>{"c", "T"} : std::vector<std::string>{"c"};
  }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    problem.check(names_of_density());
    temperature.check(dim());
    mesh.check(dim(), 1);
    linear_solver.check();
    adaptivity.check(dim());
    require(adaptivity.field != "temperature" || temperature.on(),
            "Adaptivity/Field = temperature, but there is none; the section Temperature gives one");
    output.check(dim());
    tables.check(temperature);
  }
};
} // namespace buoyant_flow
