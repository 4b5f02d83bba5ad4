#pragma once

#include "base/exceptions.h"
#include "elasticity/elasticity_parameters.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/mesh_input.h"
#include "frame/parameters/time_parameters.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : adamant::ElasticMaterialParameters
{
  unsigned int dimension   = 3;
  std::string  load_factor = "1", tractions, held = "0: xyz, 1: xyz, 2: xyz, 3: xyz, 4: xyz, 5: xyz";
  std::map<unsigned int, std::string> dirichlet, traction; // by boundary id, once the parameters are read
  std::map<std::string, std::string>  functions{{"Body force", "0; -1; 0"}, // by key
                                               {"Boundary displacement", "0; 0; 0"},
                                               {"Initial displacement", "0; 0; 0"},
                                               {"Initial velocity", "0; 0; 0"},
                                               {"Exact displacement", ""}};

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ElasticMaterialParameters(mesh_file)
  {
    add_parameter("Dimension", dimension, "2 (plane strain) or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Body force", functions["Body force"],
                  "f per volume: expressions of x, y, z separated by semicolons");
    parse_parameters_call_back.connect([this, &mesh_file] {
      const auto split = [&](const std::string &key, const std::string &text) {
        return adamant::split_by_boundary(key, text, mesh_file.boundaries(key));
      };
      traction  = split("Problem/Traction", tractions);
      dirichlet = split("Problem/Dirichlet boundaries", held);
    });
    add_parameter("Traction", tractions,
                  "g per area, by boundary id: 'id: g_x; g_y; g_z, id: ...', expressions of x, y, z");
    add_parameter("Load factor", load_factor, "Expression of t that multiplies body force and traction");
    add_parameter(
      "Dirichlet boundaries", held,
      "The boundaries where the displacement is prescribed, with its components: 'id: xyz, id: y, ...'. The sides of "
      "the box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z); those of a mesh from a file may have names");
    add_parameter("Boundary displacement", functions["Boundary displacement"], "There: expressions of x, y, z");
    add_parameter("Initial displacement", functions["Initial displacement"], "Expressions of x, y, z");
    add_parameter("Initial velocity", functions["Initial velocity"], "Expressions of x, y, z");
    add_parameter(
      "Exact displacement", functions["Exact displacement"],
      "Expressions of x, y, z, t; where given, run.json has the L2 error of the displacement at the end time");
  }

  // Checks the boundaries of a box. Any other mesh is asked for its boundaries later, when it exists.
  void check_boundaries(bool stationary, bool box) const
  {
    const std::string axes = std::string("xyz").substr(0, dimension);
    const auto        has  = [&](unsigned int id) { return !box || id < 2 * dimension; };
    std::string       prescribed_somewhere;
    for (const auto &[id, components] : dirichlet)
      {
        require(!box || id < 6, "Problem: the box has no boundary ", id, "; its sides are 0 to 5, in 2D 0 to 3");
        require(!components.empty() && components.find_first_not_of("xyz") == std::string::npos,
                "Problem/Dirichlet boundaries: '", components, "' of boundary ", id, " should name components, as xyz");
        require(!has(id) || components.find_first_of(axes) != std::string::npos, "Problem/Dirichlet boundaries: '",
                components, "' of boundary ", id, " names none of the components ", axes);
        prescribed_somewhere += has(id) ? components : "";
      }
    for (const auto &[id, text] : traction)
      {
        require(!box || id < 6, "Problem: the box has no boundary ", id, "; its sides are 0 to 5, in 2D 0 to 3");
        require(has(id), "Problem/Traction: on boundary ", id, ", which only a cube has");
        require(dirichlet.count(id) == 0 || axes.find_first_not_of(dirichlet.at(id)) != std::string::npos,
                "Problem/Traction: on boundary ", id, ", where Problem/Dirichlet boundaries prescribes all components");
      }
    for (const char axis : axes)
      require(!stationary || prescribed_somewhere.find(axis) != std::string::npos,
              "Problem/Dirichlet boundaries: a stationary solution needs the component ", axis,
              " prescribed somewhere");
  }

  // Checks the expressions. Only the load factor and the exact solution may depend on the time.
  void check_expressions() const
  {
    const auto check = [this](const std::string &key, const std::string &text) {
      require(!adamant::depends_on_time(text) || key == "Exact displacement", "Problem/", key, " = ", text,
              " contains t, but only Problem/Load factor depends on the time");
      adamant::check_expression("Problem/" + key, text, dimension, dimension);
    };
    for (const auto &[key, text] : functions)
      if (!text.empty() || key != "Exact displacement")
        check(key, text);
    for (const auto &[id, text] : traction)
      check("Traction", text);
  }
};

struct DiscretizationParameters : adamant::BoxParameters
{
  std::string  formulation = "condensed", volumetric_strain = "standard";
  unsigned int degree = 1;

  DiscretizationParameters()
  {
    add_parameter("Formulation", formulation, "condensed: the displacement alone; coupled: displacement and velocity",
                  prm, Patterns::Selection("condensed|coupled"));
    add_parameter("Volumetric strain", volumetric_strain,
                  "standard; b_bar: on each cell its projection to constants (degree 1) or linear functions (degree "
                  "2), so that nearly incompressible materials do not lock",
                  prm, Patterns::Selection("standard|b_bar"));
    add_parameter(
      "Degree", degree,
      "Of the finite elements FE_Q: 1 or 2. With 2, Linear solver/Coarsest level cells counts cells of half the size",
      prm, Patterns::Integer(1, 2));
  }
};

struct TimeParameters : adamant::TimeParameters
{
  bool stationary = false;

  TimeParameters()
    : adamant::TimeParameters(2.5, 0.025)
  {
    add_parameter("Stationary", stationary,
                  "Solve the stationary problem, with the load at the end time, instead of time steps");
    add_extrapolation_order(1);
  }
};

struct OutputParameters : ParameterAcceptor
{
  unsigned int                     interval = 10, energy_interval = 1, profile_points = 101;
  std::vector<std::vector<double>> points, stress_points, profiles;

  OutputParameters()
    : ParameterAcceptor("/Output")
  {
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Patterns::Integer(0));
    add_parameter("Energy interval", energy_interval,
                  "Steps between evaluations of the energies, on the host; other steps have nan. 0: at the end only",
                  prm, Patterns::Integer(0));
    add_parameter(
      "Points", points,
      "Where the displacement is recorded in each step: 'x, y, z; x, y, z; ...'; empty: at (1/2, 1/2, 1/2) in a "
      "box that has it");
    add_parameter("Stress points", stress_points, "Where the stresses of the last state are recorded: likewise");
    add_parameter("Profiles", profiles,
                  "Lines along which the stresses of the last state are sampled: 'x0, y0, x1, y1; ...', six numbers "
                  "each in 3D");
    add_parameter("Profile points", profile_points, "On each line, ends included", prm, Patterns::Integer(2));
  }
};

struct Parameters
{
  adamant::MeshFileParameters     mesh_file{"; empty: a box, see Discretization"};
  ProblemParameters               problem{mesh_file};
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  OutputParameters                output;
  adamant::LinearSolverParameters linear_solver{default_options(), 400};
  adamant::AdaptivityParameters   adaptivity{{"displacement", "velocity"}};

  unsigned int dim() const { return problem.dimension; }

  adamant::ElasticMaterials materials() const
  {
    auto materials  = problem.materials();
    materials.b_bar = discretization.volumetric_strain == "b_bar";
    return materials;
  }

  adamant::Schedule schedule() const
  {
    auto schedule            = time.stationary ? adamant::Schedule{time.end, 1} : time.schedule();
    schedule.output_interval = output.interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  std::vector<std::string> must_stay() const
  {
    std::vector<std::string> keys = {"Output/Points"};   // columns of statistics.csv
    if (time.stationary || discretization.by_estimate()) // which take the load at the end time
      keys.emplace_back("Time stepping/End time");
    return keys;
  }

  // Returns Chebyshev smoothing by node blocks inside conjugate gradients, which suits the condensed formulation.
  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.type                = adamant::SolverType::cg;
    options.multigrid.smoother  = {"block_jacobi", true, 0.5, 20.}; // damping 0.6 without Chebyshev already diverges
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    problem.check(!time.stationary);
    const bool coupled = discretization.formulation == "coupled";
    const auto solver  = linear_solver.options("");
    require(!coupled || !time.stationary, "Time stepping/Stationary needs Discretization/Formulation = condensed");
    require(!coupled || solver.type != adamant::SolverType::cg,
            "Discretization/Formulation = coupled has a matrix that is not symmetric: Linear solver/Solver has to be "
            "gmres, not cg");
    require(!coupled || linear_solver.preconditioner == "multigrid",
            "Linear solver/Preconditioner = ", linear_solver.preconditioner,
            " converges for Discretization/Formulation = condensed only");
    require(!coupled || solver.multigrid.smoother.type == "block_jacobi",
            "Discretization/Formulation = coupled needs Linear solver/Smoother = block_jacobi, which solves for all "
            "unknowns of a node at once");
    adaptivity.check(dim());
    discretization.check(dim(), coupled ? 2 * dim() : dim(), discretization.degree);
    problem.check_boundaries(time.stationary || discretization.by_estimate(), !mesh_file.given());
    problem.check_expressions();
    const double first_time = time.stationary ? time.end : time.step;
    const double factor     = adamant::parse_function_of_time("Problem/Load factor", problem.load_factor)(first_time);
    require(std::isfinite(factor), "Problem/Load factor is ", factor, " at t = ", first_time);
    mesh_file.check(dim());
    require(!mesh_file.given() || discretization.refinement == "uniform" || discretization.by_estimate(),
            "Discretization/Refinement = ", discretization.refinement,
            ": a mesh from a file has no such corner; take uniform or kelly");
    check_points();
    require(time.stationary || time.end > 0., "Time stepping/End time has to be positive where time steps are taken");
    if (!time.stationary)
      time.check();
  }

  // Returns the points where the displacement is recorded.
  std::vector<std::vector<double>> points() const
  {
    const std::vector<double> usual = {0.5, 0.5, 0.5};
    if (output.points.empty() && !mesh_file.given() && discretization.coordinates.empty() &&
        discretization.contains(usual, dim()))
      return {usual};
    return output.points;
  }

  void check_points() const
  {
    const auto check = [this](const char *key, const std::vector<std::vector<double>> &points) {
      for (const auto &point : points)
        require(point.size() >= dim() && (mesh_file.given() || discretization.contains(point, dim())), key,
                ": the point (", Patterns::Tools::to_string(point), ") lies outside the box or has fewer than ", dim(),
                " coordinates");
    };
    check("Output/Points", output.points);
    check("Output/Stress points", output.stress_points);
    for (const auto &line : output.profiles)
      require(line.size() == 2 * dim(), "Output/Profiles: a line needs ", 2 * dim(), " numbers, one has ", line.size());
  }

  // Makes the mesh from an empty one, without refinement by estimates.
  template <int dim>
  void make(Triangulation<dim> &mesh) const
  {
    if (!mesh_file.make_coarse(mesh))
      return discretization.make(mesh);
    const bool uniform = !discretization.by_estimate();
    adamant::refine_global(mesh, discretization.uniform_refinements + (uniform ? discretization.refinement_steps : 0));
    for (const auto &[id, components] : problem.dirichlet)
      adamant::check_boundaries("Problem/Dirichlet boundaries", {id}, mesh);
    for (const auto &[id, text] : problem.traction)
      adamant::check_boundaries("Problem/Traction", {id}, mesh);
  }
};
} // namespace elasticity
