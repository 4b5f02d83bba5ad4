#pragma once

#include "expressions/expressions.h"
#include "application/parameters.h"
#include "base/exceptions.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/utilities.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace navier_stokes
{
using namespace dealii;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int dimension  = 2;
  double       viscosity  = 0.01;
  std::string  body_force = "0; 0; 0", initial_velocity = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;
  std::string  boundary_velocities = "3: 1; 0; 0";
  std::set<unsigned int> outflow;

  std::map<unsigned int, std::string> boundary_velocity; // by id, once read

  ProblemParameters()
    : ParameterAcceptor("/Problem")
  {
    add_parameter("Dimension", dimension, "2 or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Viscosity", viscosity, "Kinematic, nu", prm, Patterns::Double(0.));
    add_parameter("Body force", body_force, "f: expressions of x, y, z, t separated by semicolons");
    add_parameter("Initial velocity", initial_velocity,
                  "Expressions of x, y, z. Where it or the body force is not zero, the initial "
                  "pressure is that of the momentum equation");
    parse_parameters_call_back.connect(
      [this] { boundary_velocity = adamant::split_by_boundary("Problem/Boundary velocity", boundary_velocities); });
    add_parameter("Boundary velocity", boundary_velocities,
                  "Moving walls and inflow by boundary id: 'id: u_x; u_y; u_z, id: ...', expressions of x, y, z, t. "
                  "The sides of a box "
                  "have ids 0, 1 (x), 2, 3 (y), 4, 5 (z). Boundaries named nowhere are walls at rest");
    add_parameter("Outflow boundaries", outflow, "Ids where nothing is prescribed but zero pressure (do nothing)");
    add_parameter("Edges", edges,
                  "The velocity where boundaries meet: wall takes the smallest of their velocities, so that a lid does "
                  "not leak; moving "
                  "takes the largest",
                  prm, Patterns::Selection("wall|moving"));
    add_parameter("Exact velocity", exact_velocity,
                  "Where it is known: expressions of x, y, z, t; errors go to run.json");
    add_parameter("Exact pressure", exact_pressure, "Likewise; compared up to a constant where no outflow fixes it");
  }
};

struct MeshParameters : ParameterAcceptor
{
  std::string               type        = "box", file, coordinates, refine_where;
  std::vector<unsigned int> cells       = {1, 1, 1};
  unsigned int              refinements = 4, local_refinements = 0;

  MeshParameters()
    : ParameterAcceptor("/Mesh")
  {
    add_parameter(
      "Type", type,
      "box; cylinder (the channel of Schaefer and Turek, in 2D: inflow 0, outflow 1, cylinder 2, walls 3); file", prm,
      Patterns::Selection("box|cylinder|file"));
    add_parameter("File", file,
                  "Gmsh mesh (.msh, ASCII) of quadrilaterals or hexahedra; physical groups give the boundary ids");
    add_parameter("Cells", cells, "Of the box in each direction, before refinement");
    add_parameter("Refinements", refinements, "Uniform ones to the pressure mesh; the velocity mesh has one more", prm,
                  Patterns::Integer(0, 12));
    add_parameter("Coordinates", coordinates,
                  "Where the points x, y, z of the unit box lie: expressions separated by semicolons; empty: there");
    add_parameter("Local refinements", local_refinements, "Further refinements of the pressure mesh", prm,
                  Patterns::Integer(0, 10));
    add_parameter("Refine where", refine_where, "Of the cells in whose centre this expression of x, y, z is positive");
  }
};

struct TimeParameters : ParameterAcceptor
{
  double       end = 10., step = 0.01, steady_tolerance = 0.;
  std::string  unstable_step       = "refuse";
  unsigned int extrapolation_order = 2;

  TimeParameters()
    : ParameterAcceptor("/Time stepping")
  {
    using namespace Patterns;
    add_parameter("End time", end, "T", prm, Double(0.));
    add_parameter("Time step", step, "dt; the last step ends at T or after it", prm, Double(1e-300));
    add_parameter("Unstable step", unstable_step, "What to do with a time step above the estimated limit", prm,
                  Selection("refuse|shorten"));
    add_parameter("Steady tolerance", steady_tolerance,
                  "The run ends where |u - u_old| <= this times dt |u|, tested with the statistics; 0: never", prm,
                  Double(0.));
    add_parameter("Extrapolation order", extrapolation_order,
                  "Earlier steps that the pressure solver's initial guess is extrapolated from; 0: a zero guess", prm,
                  Integer(0, 4));
  }
};

struct OutputParameters : ParameterAcceptor
{
  unsigned int                     interval = 0, statistics_interval = 1, profile_points = 101;
  double                           force_scale = 1.;
  std::set<unsigned int>           force_boundaries;
  std::vector<std::vector<double>> profiles, points;
  bool                             time_parts = false;

  OutputParameters()
    : ParameterAcceptor("/Output")
  {
    using namespace Patterns;
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Integer(0));
    add_parameter("Statistics interval", statistics_interval,
                  "Steps between rows of statistics.csv, computed on the host", prm, Integer(1));
    add_parameter("Force boundaries", force_boundaries, "Ids on which the fluid's force is computed");
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
  std::string pressure_solver = "multigrid";
  bool        custom_kernels  = true;

  ImplementationParameters()
    : ParameterAcceptor("/Implementation")
  {
    add_parameter("Pressure solver", pressure_solver,
                  "multigrid: as section Linear solver says; fast_diagonalization: directly, on tensor-product meshes "
                  "of a box without outflow",
                  prm, Patterns::Selection("multigrid|fast_diagonalization"));
    add_parameter("Custom kernels", custom_kernels,
                  "The momentum step and the divergence as one product each; else one sparse product (cuSPARSE on the "
                  "GPU) for each matrix and "
                  "component, with the products of velocities formed on the host");
  }
};

struct Parameters
{
  ProblemParameters               problem;
  MeshParameters                  mesh;
  TimeParameters                  time;
  OutputParameters                output;
  ImplementationParameters        implementation;
  adamant::LinearSolverParameters linear_solver{default_options(), 64};

  // Where a checkpoint is continued.
  std::vector<std::string> may_change() const
  {
    std::vector<std::string> keys = {"Time stepping/End time", "Output/Interval",   "Output/Profiles",
                                     "Output/Profile points",  "Output/Time parts", "Checkpoint"};
    if (time.steady_tolerance == 0.) // else the statistics tell when the run ends
      keys.push_back("Output/Statistics interval");
    return keys;
  }

  // Chebyshev smoothing with a factorised approximate inverse survives stretched cells.
  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.type                         = adamant::SolverType::cg;
    options.multigrid.smoother.type      = adamant::SmootherType::fsai;
    options.multigrid.smoother.chebyshev = true;
    options.multigrid.smoother.range     = 20.;
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // What no single parameter's pattern can tell.
  void check() const
  {
    const auto refuse = [](const std::string &message) { throw adamant::InputError(message); };
    const auto number = [](std::size_t value) { return std::to_string(value); };
    const auto dim    = problem.dimension;
    if (!(problem.viscosity > 0.))
      refuse("Problem/Viscosity = " + Utilities::to_string(problem.viscosity) + ": it has to be positive");
    if (linear_solver.preconditioner != "multigrid")
      refuse("Linear solver/Preconditioner = " + linear_solver.preconditioner + ": this program has multigrid only");
    if (linear_solver.coarse_solver == "trilinos_amg")
      refuse("Linear solver/Coarse solver = trilinos_amg: this program has dense_inverse and smoothing only");
    if (mesh.type == "cylinder" && dim != 2)
      refuse("Mesh/Type = cylinder needs Problem/Dimension = 2");
    if (mesh.type == "file" && mesh.file.empty())
      refuse("Mesh/Type = file needs Mesh/File");
    if (mesh.type != "box" && !mesh.coordinates.empty())
      refuse("Mesh/Coordinates needs Mesh/Type = box");
    if (mesh.local_refinements > 0 && mesh.refine_where.empty())
      refuse("Mesh/Local refinements = " + number(mesh.local_refinements) + " needs Mesh/Refine where");
    if (mesh.type == "box")
      {
        if (mesh.cells.size() < dim)
          refuse("Mesh/Cells has " + number(mesh.cells.size()) + " numbers, but Problem/Dimension is " + number(dim));
        double entries = std::pow(3., dim);
        for (unsigned int d = 0; d < dim; ++d)
          {
            if (mesh.cells[d] == 0)
              refuse("Mesh/Cells has to be positive");
            entries *= std::ldexp(mesh.cells[d], mesh.refinements + 1) + 1.;
          }
        if (entries > 2147483647. * dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD))
          refuse("Mesh/Refinements = " + number(mesh.refinements) +
                 " gives more matrix entries than 32-bit indices can count");
        for (const auto *ids : {&problem.outflow, &output.force_boundaries})
          for (const auto id : *ids)
            if (id >= 2 * dim)
              refuse("a box in " + number(dim) + "D has no boundary " + number(id) + "; its sides are 0 to " +
                     number(2 * dim - 1));
        for (const auto &entry : problem.boundary_velocity)
          if (entry.first >= 2 * dim)
            refuse("Problem/Boundary velocity: a box in " + number(dim) + "D has no boundary " + number(entry.first));
      }
    for (const auto id : problem.outflow)
      if (problem.boundary_velocity.count(id) > 0)
        refuse("boundary " + number(id) + " has a velocity and is an outflow; it can be one of them");
    for (const auto &line : output.profiles)
      if (line.size() != 2 * dim)
        refuse("Output/Profiles: a line needs " + number(2 * dim) + " numbers, one has " + number(line.size()));
    for (const auto &point : output.points)
      if (point.size() < dim)
        refuse("Output/Points: a point has fewer than " + number(dim) + " coordinates");
    check_expressions();
    if (implementation.pressure_solver == "fast_diagonalization" && !problem.outflow.empty())
      refuse("Implementation/Pressure solver = fast_diagonalization knows no outflow; take multigrid");
  }

  void check_expressions() const
  {
    const auto check = [dim = problem.dimension](const char *key, const std::string &text, unsigned int n_components) {
      adamant::check_expression(key, text, n_components, dim);
    };
    const auto check_given = [&](const char *key, const std::string &text, unsigned int n_components) {
      if (!text.empty())
        check(key, text, n_components);
    };
    check("Problem/Body force", problem.body_force, problem.dimension);
    check("Problem/Initial velocity", problem.initial_velocity, problem.dimension);
    for (const auto &entry : problem.boundary_velocity)
      check("Problem/Boundary velocity", entry.second, problem.dimension);
    check_given("Problem/Exact velocity", problem.exact_velocity, problem.dimension);
    check_given("Problem/Exact pressure", problem.exact_pressure, 1);
    check_given("Mesh/Coordinates", mesh.coordinates, problem.dimension);
    check_given("Mesh/Refine where", mesh.refine_where, 1);
  }
};
} // namespace navier_stokes
