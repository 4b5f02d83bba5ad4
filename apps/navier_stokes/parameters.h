#pragma once

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "flow/flow_results.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/mesh_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "tensor/dense_products.h"

#include <deal.II/base/parameter_acceptor.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace navier_stokes
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int dimension  = 2;
  double       viscosity  = 0.01;
  std::string  body_force = "0; 0; 0", initial_velocity = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;
  std::string  boundary_velocities = "3: 1; 0; 0";
  std::vector<std::string> outflow_names;

  std::set<unsigned int>              outflow;           // by id, once the parameters are read
  std::map<unsigned int, std::string> boundary_velocity; // by id, once the parameters are read

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Problem")
  {
    add_parameter("Dimension", dimension, "2 or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Viscosity", viscosity, "Kinematic, nu", prm, Patterns::Double(0.));
    add_parameter("Body force", body_force, "f: expressions of x, y, z, t separated by semicolons");
    add_parameter("Initial velocity", initial_velocity,
                  "Expressions of x, y, z. Where it or the body force is not zero, the initial pressure is that of the "
                  "momentum equation");
    parse_parameters_call_back.connect([this, &mesh_file] {
      const std::string key = "Problem/Boundary velocity";
      boundary_velocity     = adamant::split_by_boundary(key, boundary_velocities, mesh_file.boundaries(key));
      outflow               = mesh_file.boundary_ids("Problem/Outflow boundaries", outflow_names);
    });
    add_parameter("Boundary velocity", boundary_velocities,
                  "Moving walls and inflow by boundary id: 'id: u_x; u_y; u_z, id: ...', expressions of x, y, z, t. "
                  "The sides of a box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z). Boundaries named nowhere are walls at "
                  "rest");
    add_parameter("Outflow boundaries", outflow_names,
                  "Ids where nothing is prescribed but zero pressure (do nothing)");
    add_parameter("Edges", edges,
                  "The velocity where boundaries meet: wall takes the smallest of their velocities, so that a lid does "
                  "not leak; moving takes the largest",
                  prm, Patterns::Selection("wall|moving"));
    add_parameter("Exact velocity", exact_velocity,
                  "Where it is known: expressions of x, y, z, t; errors go to run.json");
    add_parameter("Exact pressure", exact_pressure, "Likewise; compared up to a constant where no outflow fixes it");
  }
};

struct TimeParameters : adamant::TimeParameters
{
  double      steady_tolerance = 0.;
  std::string unstable_step    = "refuse";

  TimeParameters()
    : adamant::TimeParameters(10., 0.01)
  {
    add_parameter("Unstable step", unstable_step,
                  "What to do with a time step above the estimated limit; a shortened one divides T", prm,
                  Patterns::Selection("refuse|shorten"));
    add_parameter("Steady tolerance", steady_tolerance,
                  "The run ends where |u - u_old| <= this times dt |u|, tested with the statistics; 0: never", prm,
                  Patterns::Double(0.));
    add_extrapolation_order(2, "pressure solver");
  }
  bool shortens() const { return unstable_step == "shorten"; }
};

struct OutputParameters : ParameterAcceptor, adamant::FlowResultsOptions
{
  unsigned int             interval = 0, statistics_interval = 1;
  bool                     time_parts = false;
  std::vector<std::string> force_names; // of boundaries

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Output")
  {
    using namespace Patterns;
    parse_parameters_call_back.connect(
      [this, &mesh_file] { force_boundaries = mesh_file.boundary_ids("Output/Force boundaries", force_names); });
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Integer(0));
    add_parameter("Statistics interval", statistics_interval,
                  "Steps between rows of statistics.csv, computed on the host", prm, Integer(1));
    add_parameter("Force boundaries", force_names, "Ids on which the fluid's force is computed");
    add_parameter("Force scale", force_scale, "Forces are multiplied by this, as for drag and lift coefficients");
    add_parameter("Profiles", profiles,
                  "Lines along which the last state is sampled: 'x0, y0, x1, y1; ...', six numbers each in 3D");
    add_parameter("Profile points", profile_points, "On each line, ends included", prm, Integer(2));
    add_parameter("Points", points,
                  "Where the pressure is recorded with the statistics, and the velocity at the end: 'x, y; x, y; ...'");
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
                  "Of its products; below float64 it is refined to the tolerance of section Linear solver. tf32, "
                  "bfloat16 and float16 are those of a GPU's Tensor Cores",
                  prm, Patterns::Selection("float64|float32|tf32|bfloat16|float16"));
    add_parameter(
      "Custom kernels", custom_kernels,
      "The momentum step and the divergence as one product each; else, and with Matrix format = cusparse, one "
      "sparse product for each matrix and component");
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
  adamant::LinearSolverParameters linear_solver{default_options(), 64};
  adamant::AdaptivityParameters   adaptivity{{"velocity", "pressure"}, true};

  unsigned int dim() const { return problem.dimension; }

  adamant::Schedule schedule() const
  {
    auto schedule                = time.schedule();
    schedule.output_interval     = output.interval;
    schedule.statistics_interval = output.statistics_interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  std::vector<std::string> must_stay() const
  {
    std::vector<std::string> keys = {"Output/Points", "Output/Force boundaries", "Output/Force scale"}; // columns
    if (time.steady_tolerance > 0.) // the statistics tell when the run ends
      keys.emplace_back("Output/Statistics interval");
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
    require(problem.viscosity > 0., "Problem/Viscosity = ", problem.viscosity, ": it has to be positive");
    linear_solver.require_multigrid();
    linear_solver.require_embedding();
    require(linear_solver.coarse_solver != "trilinos_amg",
            "Linear solver/Coarse solver = trilinos_amg: this program has dense_inverse and smoothing only");
    mesh.check(dim(), 1);
    adaptivity.check(dim());
    require(!adaptivity.on() || implementation.pressure_solver == "multigrid",
            "section Adaptivity needs Implementation/Pressure solver = multigrid");
    check_boundaries();
    for (const auto &line : output.profiles)
      require(line.size() == 2 * dim(), "Output/Profiles: a line needs ", 2 * dim(), " numbers, one has ", line.size());
    for (const auto &point : output.points)
      require(point.size() >= dim(), "Output/Points: a point has fewer than ", dim(), " coordinates");
    if (!time.shortens())
      time.check();
    adamant::check_expression("Problem/Body force", problem.body_force, dim(), dim());
    adamant::check_expression("Problem/Initial velocity", problem.initial_velocity, dim(), dim());
    if (!problem.exact_velocity.empty())
      adamant::check_expression("Problem/Exact velocity", problem.exact_velocity, dim(), dim());
    if (!problem.exact_pressure.empty())
      adamant::check_expression("Problem/Exact pressure", problem.exact_pressure, 1, dim());
  }

  void check_boundaries() const
  {
    for (const auto id : output.force_boundaries)
      mesh.check_boundary("Output/Force boundaries", id, dim());
    for (const auto id : problem.outflow)
      mesh.check_boundary("Problem/Outflow boundaries", id, dim());
    for (const auto &[id, velocity] : problem.boundary_velocity)
      {
        mesh.check_boundary("Problem/Boundary velocity", id, dim());
        require(problem.outflow.count(id) == 0, "boundary ", id,
                " has a velocity and is an outflow; it can be one of them");
        adamant::check_expression("Problem/Boundary velocity", velocity, dim(), dim());
      }
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
