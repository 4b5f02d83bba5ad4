#pragma once

#include "base/exceptions.h"
#include "base/run_record.h"
#include "expressions/expressions.h"
#include "flow/flow_parameters.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "heat/heat_parameters.h"
#include "meshes/mesh_parameters.h"
#include "tensor/dense_products.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace navier_stokes
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : adamant::FlowProblemParameters
{
  std::string initial_velocity = "0; 0; 0", buoyancy = "0; 0; 0";

  explicit ProblemParameters(const adamant::MeshParameters &mesh)
    : FlowProblemParameters(mesh,
                            {"x, y, z, t", "nu d_n u - p n, of which the pressure takes -g n and nu d_n u the rest,",
                             "no_slip", "", "3: 1; 0; 0"},
                            "compared up to a constant where no boundary is open")
  {
    add_parameter("Initial velocity", initial_velocity,
                  "Expressions of x, y, z. Where it or the body force is not zero, the initial pressure is that of the "
                  "momentum equation");
    add_parameter("Buoyancy", buoyancy,
                  "Numbers separated by semicolons: the temperature times this vector is a force, beside the body "
                  "force");
  }

  std::vector<double> buoyancy_in(unsigned int dim) const
  {
    return adamant::constant_values("Problem/Buoyancy", buoyancy, dim);
  }
  bool is_buoyant() const
  {
    const auto e = buoyancy_in(dimension);
    return std::any_of(e.begin(), e.end(), [](double value) { return value != 0.; });
  }
};

struct TimeParameters : adamant::TimeParameters
{
  double      steady_tolerance = 0.;
  std::string unstable_step    = "refuse";

  TimeParameters()
    : adamant::TimeParameters(10., 0.01)
  {
    add_parameter(
      "Unstable step", unstable_step,
      "What to do with a time step above the estimated limit; a shortened one divides T. Later, when a driven "
      "flow has become too fast, a run ends, or with shorten notes it and goes on",
      prm, Patterns::Selection("refuse|shorten"));
    add_parameter("Steady tolerance", steady_tolerance,
                  "The run ends where |u - u_old| <= this times dt |u|, and the temperature alike, tested with the "
                  "statistics; a field that stays zero is steady; 0: never",
                  prm, Patterns::Double(0.));
    add_extrapolation_order(2, "pressure solver");
  }
  bool shortens() const { return unstable_step == "shorten"; }
};

struct OutputParameters : adamant::FlowOutputParameters
{
  unsigned int interval   = 0;
  bool         time_parts = false;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : FlowOutputParameters(mesh_file, "the last state is",
                           "the pressure is recorded with the statistics, and the velocity at the end", {"vorticity"},
                           "p, T (with a temperature)")
  {
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Patterns::Integer(0));
    add_statistics_interval();
    add_parameter("Time parts", time_parts, "Time the parts of a step, which costs a wait after each of them");
  }
};

struct ImplementationParameters : ParameterAcceptor
{
  std::string pressure_solver = "multigrid", pressure_arithmetic = "float64";
  bool        custom_kernels = true;

  ImplementationParameters()
    : ParameterAcceptor("/Implementation")
  {
    add_parameter("Pressure solver", pressure_solver,
                  "multigrid: as section Linear solver says; fast_diagonalization: directly, on tensor-product meshes "
                  "of a box",
                  prm, Patterns::Selection("multigrid|fast_diagonalization"));
    add_parameter("Fast diagonalization precision", pressure_arithmetic,
                  "Precision of its products; below float64 its result is refined to the tolerance of section Linear "
                  "solver. tf32, bfloat16 and float16 need a GPU's Tensor Cores",
                  prm, Patterns::Selection("float64|float32|tf32|bfloat16|float16"));
    add_parameter("Custom kernels", custom_kernels,
                  "Take the momentum step and the divergence as one product each; else, and with Matrix format = "
                  "cusparse, as one sparse product for each matrix and component");
  }

  void add_to(adamant::RunRecord &record) const
  {
    record["pressure_solver"] = pressure_solver;
    record["custom_kernels"]  = custom_kernels;
  }
  // Whether a step is made of separate products.
  bool separates(const adamant::Device &device) const
  {
    return !custom_kernels || device.matrix_format() == adamant::MatrixFormat::cusparse;
  }
  adamant::Arithmetic arithmetic() const { return adamant::arithmetic(pressure_arithmetic); }
};

struct Parameters
{
  adamant::MeshParameters         mesh{"pressure mesh", "; the velocity mesh has one more"};
  ProblemParameters               problem{mesh};
  TimeParameters                  time;
  OutputParameters                output{mesh};
  ImplementationParameters        implementation;
  adamant::SplitHeatParameters    temperature{mesh};
  adamant::LinearSolverParameters linear_solver{default_options(), 64};
  adamant::AdaptivityParameters   adaptivity{{"velocity", "pressure", "temperature"}, true};

  unsigned int dim() const { return problem.dimension; }

  adamant::Schedule schedule() const
  {
    auto schedule                = time.schedule();
    schedule.output_interval     = output.interval;
    schedule.statistics_interval = output.statistics_interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  adamant::RestartKeys restart_keys() const
  {
    adamant::RestartKeys keys = output.of_columns();
    keys.must_stay.insert(keys.must_stay.end(), {"Output/Force boundaries", "Output/Force scale"});
    if (time.steady_tolerance > 0.) // the statistics tell when the run ends
      keys.must_stay.emplace_back("Output/Statistics interval");
    return keys;
  }

  // Chebyshev smoothing with a factorised approximate inverse survives stretched cells.
  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.type                = adamant::SolverType::cg;
    options.multigrid.smoother  = {"fsai", true, 0.8, 20.};
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    linear_solver.require_own_levels();
    mesh.check(dim(), 1);
    adaptivity.check(dim());
    require(!adaptivity.on() || implementation.pressure_solver == "multigrid",
            "section Adaptivity needs Implementation/Pressure solver = multigrid");
    output.check(mesh, dim(), problem);
    problem.check();
    adamant::check_expression("Problem/Initial velocity", problem.initial_velocity, dim(), dim());
    if (!time.shortens())
      time.check();
    check_temperature();
  }

  void check_temperature() const
  {
    temperature.check(dim());
    adamant::check_expression("Problem/Buoyancy", problem.buoyancy, dim(), dim());
    const auto e = problem.buoyancy_in(dim());
    require(adamant::is_constant(problem.buoyancy) && std::isfinite(std::accumulate(e.begin(), e.end(), 0.)),
            "Problem/Buoyancy = ", problem.buoyancy, ": it should have numbers");
    require(temperature.on() || !problem.is_buoyant(), "Problem/Buoyancy = ", problem.buoyancy,
            ", but there is no temperature; Temperature/Initial temperature gives one");
    require(temperature.on() || adaptivity.field != "temperature",
            "Adaptivity/Field = temperature, but there is none; Temperature/Initial temperature gives one");
    require(!temperature.on() || temperature.diffusivity > 0.,
            "Temperature/Diffusivity = 0: without diffusion the explicit transport of the temperature is unstable");
  }

  void check_device(const adamant::Device &device) const
  {
    adamant::require_arithmetic("Implementation/Fast diagonalization precision", implementation.arithmetic(), device);
    require(device.communicator().size() == 1 ||
              (implementation.pressure_solver == "multigrid" && implementation.custom_kernels),
            "Implementation: several ranks need Pressure solver = multigrid and Custom kernels = true");
  }
};
} // namespace navier_stokes
