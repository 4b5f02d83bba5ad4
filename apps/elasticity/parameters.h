#pragma once

#include "base/exceptions.h"
#include "cells/products.h"
#include "elasticity/elasticity_parameters.h"
#include "expressions/expressions.h"
#include "fem/meshes/mesh.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "frame/unknown.h"
#include "meshes/mesh_input.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : adamant::ElasticMaterialParameters
{
  unsigned int                       dimension   = 3;
  std::string                        load_factor = "1";
  adamant::SolidBoundaries           boundaries;
  adamant::Coefficient               body_force; // once the parameters are read
  std::map<std::string, std::string> functions;  // by key: expressions

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ElasticMaterialParameters(mesh_file)
    , boundaries(mesh_file)
  {
    add_parameter("Dimension", dimension, "2 (see Plane) or 3", prm, Patterns::Integer(2, 3));
    add_parameter("Load factor", load_factor, "Expression of t that multiplies body force, traction and pressure");
    const auto add_function = [this](const char *key, const char *usual, const char *description) {
      add_parameter(key, functions[key] = usual, description);
    };
    add_function("Body force", "0; -1; 0",
                 "f per volume: expressions of x, y, z separated by semicolons, or a list by material: 'id: f_x; f_y; "
                 "f_z, id: ..., elsewhere'");
    parse_parameters_call_back.connect([this, &mesh_file] {
      body_force = {"Problem/Body force", functions.at("Body force"), mesh_file.materials("Problem/Body force"),
                    adamant::Coefficient::Components::vector};
    });
    add_function("Boundary displacement", "0; 0; 0", "On Dirichlet boundaries and supports: expressions of x, y, z");
    add_function("Initial displacement", "0; 0; 0", "Expressions of x, y, z");
    add_function("Initial velocity", "0; 0; 0", "Expressions of x, y, z");
    add_function("Exact displacement", "",
                 "Expressions of x, y, z, t; where given, run.json has the L2 error of the displacement at the end "
                 "time");
  }

  // Returns the load factor, which throws InputError at times where it is no number.
  std::function<double(double)> load_factor_of_time() const
  {
    return [f = adamant::parse_function_of_time("Problem/Load factor", load_factor)](double t) {
      const double factor = f(t);
      require(std::isfinite(factor), "Problem/Load factor is ", factor, " at t = ", t);
      return factor;
    };
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
      if (key != "Body force" && (!text.empty() || key != "Exact displacement"))
        check(key, text);
    body_force.check([&](const std::string &text) { check("Body force", text); });
    for (const auto &[id, text] : boundaries.traction)
      check("Traction", text);
  }
};

struct DiscretizationParameters : adamant::BoxParameters
{
  std::string  formulation = "condensed", volumetric_strain = "standard", materials = "points";
  unsigned int degree = 1;

  DiscretizationParameters()
  {
    add_parameter("Formulation", formulation, "condensed: the displacement alone; coupled: displacement and velocity",
                  prm, Patterns::Selection("condensed|coupled"));
    add_parameter("Volumetric strain", volumetric_strain,
                  "standard; b_bar: on each cell its projection to constants (degree 1) or linear functions (degree "
                  "2), so that nearly incompressible materials do not lock",
                  prm, Patterns::Selection("standard|b_bar"));
    add_parameter("Materials", materials,
                  "Where materials depend on the place: points, at quadrature points; cells, the mean of these in each "
                  "cell for the matrices and thermal loads. Stresses and energies have the material of the place",
                  prm, Patterns::Selection("points|cells"));
    add_parameter("Degree", degree,
                  "Degree of the finite elements FE_Q: 1 or 2. With 2, Linear solver/Coarsest level cells counts cells "
                  "of half the size",
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

struct OutputParameters : adamant::SolidOutputParameters
{
  unsigned int interval = 10, energy_interval = 1;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : SolidOutputParameters(mesh_file)
  {
    add_parameter("Interval", interval, "Steps between VTU files; 0: none", prm, Patterns::Integer(0));
    add_parameter("Energy interval", energy_interval,
                  "Steps between evaluations of the energies, on the host; other steps have nan. 0: at the end only",
                  prm, Patterns::Integer(0));
  }

  bool energies_due(const adamant::Schedule &schedule, unsigned int step) const
  {
    return step == schedule.n_steps || schedule.due(energy_interval, step);
  }
};

struct Parameters
{
  adamant::MeshFileParameters     mesh_file{"; empty: a box, see Discretization"};
  ProblemParameters               problem{mesh_file};
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  OutputParameters                output{mesh_file};
  adamant::LinearSolverParameters linear_solver{default_options(), 400};
  adamant::ProductsParameter      products{linear_solver,
                                      "cells on large levels on a GPU with Discretization/Materials = cells, for a "
                                           "stationary problem, where possible"};
  adamant::AdaptivityParameters   adaptivity{{"displacement", "velocity"}};

  unsigned int dim() const { return problem.dimension; }

  adamant::ElasticMaterials materials() const
  {
    auto materials  = problem.materials();
    materials.b_bar = discretization.volumetric_strain == "b_bar";
    materials.means = discretization.materials == "cells";
    return materials;
  }

  // Products by cells have numbers for each cell. Few materials make few different rows, which are as quick.
  adamant::Products products_of(bool stationary) const
  {
    const bool of_place = !problem.are_constant();
    const auto wanted   = products.products(materials().axial()                 ? "no Problem/Plane = axial" :
                                            discretization.degree != 1          ? "Discretization/Degree = 1" :
                                            !stationary                         ? "Time stepping/Stationary = true" :
                                            !problem.boundaries.springs.empty() ? "no Problem/Springs" :
                                            of_place && !materials().means      ? "Discretization/Materials = cells" :
                                                                                  "");
    return wanted == adamant::Products::automatic && !of_place ? adamant::Products::rows : wanted;
  }

  adamant::Schedule schedule() const
  {
    auto schedule                = time.stationary ? adamant::Schedule::stationary(true, time.end) : time.schedule();
    schedule.output_interval     = output.interval;
    schedule.statistics_interval = output.statistics_interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  adamant::RestartKeys restart_keys() const
  {
    adamant::RestartKeys keys = output.of_columns();
    if (time.stationary || discretization.by_estimate()) // which take the load at the end time
      keys.must_stay.emplace_back("Time stepping/End time");
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
    const bool axial = problem.plane() == adamant::Plane::axial;
    require(!axial || output.statistics.empty(),
            "Output/Statistics: there are none with Problem/Plane = axial, whose integrals have the factor 2 pi r");
    problem.check(dim(), !time.stationary);
    require(problem.plane() == adamant::Plane::strain || discretization.volumetric_strain != "b_bar",
            "Problem/Plane = ", axial ? "axial" : "stress",
            " is not for Discretization/Volumetric strain = b_bar, which takes plane strain");
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
    problem.boundaries.check(dim(), time.stationary || discretization.by_estimate(), box() != nullptr, axial);
    problem.check_expressions();
    problem.load_factor_of_time()(time.stationary ? time.end : time.step);
    mesh_file.check(dim());
    require(!mesh_file.given() || discretization.refinement == "uniform" || discretization.by_estimate(),
            "Discretization/Refinement = ", discretization.refinement,
            ": a mesh from a file has no such corner; take uniform or kelly");
    output.check(dim(), box());
    products_of(time.stationary);
    require(time.stationary || time.end > 0., "Time stepping/End time has to be positive where time steps are taken");
    if (!time.stationary)
      time.check();
  }

  // Returns the parameters of the box, or null where the mesh comes from a file.
  const adamant::BoxParameters *box() const { return mesh_file.given() ? nullptr : &discretization; }

  // The limit counts cells of linear elements: others have more unknowns.
  unsigned int coarsest_cells() const
  {
    return std::max(linear_solver.coarsest_cells >> (dim() * (discretization.degree - 1)), 1u);
  }

  adamant::UnknownOptions integration() const
  {
    adamant::UnknownOptions options{0, coarsest_cells()};
    if (!problem.are_constant() || problem.plane() == adamant::Plane::axial) // each cell has a matrix of its own
      options.flags |= update_quadrature_points;
    return options;
  }

  // Makes the mesh from an empty one, without refinement by estimates.
  template <int dim>
  void make(Triangulation<dim> &mesh) const
  {
    const bool is_box = !mesh_file.make_coarse(mesh);
    if (is_box)
      discretization.make_coarse(mesh);
    mesh_file.join_periodic(mesh);
    if (!is_box || mesh_file.is_periodic()) // else check() has seen the sides
      problem.boundaries.check(mesh);
    if (is_box)
      return discretization.refine(mesh);
    const bool uniform = !discretization.by_estimate();
    adamant::refine_global(mesh, discretization.uniform_refinements + (uniform ? discretization.refinement_steps : 0));
  }
};
} // namespace elasticity
