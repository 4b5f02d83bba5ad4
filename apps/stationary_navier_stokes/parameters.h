#pragma once

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/mesh_parameters.h"
#include "solvers/newton.h"

#include <deal.II/base/parameter_acceptor.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stationary_navier_stokes
{
using namespace dealii;
using adamant::Array;
using adamant::require;

struct ProblemParameters : ParameterAcceptor
{
  unsigned int             dimension  = 2;
  double                   viscosity  = 0.01;
  std::string              body_force = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;
  std::string              boundary_velocities = "3: 1; 0; 0";
  bool                     keep_flux           = true;
  std::vector<std::string> outflow_names;

  std::set<unsigned int>              outflow;           // by id, once the parameters are read
  std::map<unsigned int, std::string> boundary_velocity; // by id, once the parameters are read

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Problem")
  {
    using namespace Patterns;
    add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
    add_parameter("Viscosity", viscosity, "Kinematic, nu; 1 / Re where the velocity and the length are 1", prm,
                  Double());
    add_parameter("Body force", body_force, "f: expressions of x, y, z separated by semicolons");
    parse_parameters_call_back.connect([this, &mesh_file] {
      const std::string key = "Problem/Boundary velocity";
      boundary_velocity     = adamant::split_by_boundary(key, boundary_velocities, mesh_file.boundaries(key));
      outflow               = mesh_file.boundary_ids("Problem/Outflow boundaries", outflow_names);
    });
    add_parameter("Boundary velocity", boundary_velocities,
                  "Moving walls and inflow by boundary id: 'id: u_x; u_y; u_z, id: ...', expressions of x, y, z. The "
                  "sides of a box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z). Boundaries named nowhere are walls at rest");
    add_parameter("Keep flux", keep_flux,
                  "Scale the interpolated velocity of each boundary so that as much flows through it as the expression "
                  "says");
    add_parameter("Outflow boundaries", outflow_names, "Ids where nothing is prescribed: nu d_n u = p n");
    add_parameter("Edges", edges,
                  "The velocity where boundaries meet: wall takes the smallest of their velocities, so that a lid does "
                  "not leak; moving takes the largest",
                  prm, Selection("wall|moving"));
    add_parameter("Exact velocity", exact_velocity, "Where it is known: expressions of x, y, z; errors go to run.json");
    add_parameter("Exact pressure", exact_pressure, "Likewise; of zero mean where there is no outflow");
  }

  bool has_force() const
  {
    for (const auto &component : adamant::split_components("Problem/Body force", body_force, dimension))
      if (Utilities::trim(component) != "0")
        return true;
    return false;
  }

  void check(const adamant::MeshParameters &mesh) const
  {
    require(viscosity > 0. && std::isfinite(viscosity), "Problem/Viscosity = ", viscosity, ": it has to be positive");
    adamant::check_expression("Problem/Body force", body_force, dimension, dimension);
    if (!exact_velocity.empty())
      adamant::check_expression("Problem/Exact velocity", exact_velocity, dimension, dimension);
    if (!exact_pressure.empty())
      adamant::check_expression("Problem/Exact pressure", exact_pressure, 1, dimension);
    for (const auto &[id, text] : boundary_velocity)
      {
        mesh.check_boundary("Problem/Boundary velocity", id, dimension);
        adamant::check_expression("Problem/Boundary velocity", text, dimension, dimension);
        require(outflow.count(id) == 0, "boundary ", id, " has a velocity and is an outflow; it can be one of them");
      }
    for (const auto id : outflow)
      mesh.check_boundary("Problem/Outflow boundaries", id, dimension);
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  double C_I = 0., gamma_0 = 0.;

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    add_parameter("Stabilization constant", C_I,
                  "C_I in tau = (4 u.Gu + C_I nu^2 G:G)^(-1/2); 0: 144 / Problem/Dimension");
    add_parameter("Grad-div factor", gamma_0, "gamma_0 of the term (gamma div u, div v), gamma = gamma_0 / (tau tr G)");
  }

  void check() const
  {
    require(C_I >= 0. && std::isfinite(C_I), "Discretization/Stabilization constant = ", C_I,
            ": it has to be positive, or 0 for the usual one");
    require(gamma_0 >= 0. && std::isfinite(gamma_0), "Discretization/Grad-div factor = ", gamma_0,
            ": it must not be negative");
  }
};

struct NonlinearParameters : ParameterAcceptor
{
  double              tolerance = 1e-8, level_tolerance = 1e-3, picard_until = 0.1, least = 1e-3, most = 0.1;
  unsigned int        max_steps = 50;
  bool                newton = true, nested = true;
  std::vector<double> continuation;

  NonlinearParameters()
    : ParameterAcceptor("/Nonlinear solver")
  {
    using namespace Patterns;
    add_parameter("Tolerance", tolerance, "Of |F| on the finest mesh, over its value at rest", prm, Double(1e-14, 0.1));
    add_parameter("Maximum steps", max_steps, "On each mesh, for each viscosity", prm, Integer(1));
    add_parameter("Newton", newton, "Newton's method; else Picard's alone");
    add_parameter(
      "Picard until", picard_until,
      "From rest Picard's steps come before Newton's, until |F| is below this times its first value; 0: none", prm,
      Double(0., 1.));
    add_parameter("Nested", nested,
                  "Solve on the coarser meshes first, from the coarsest on, each to Level tolerance of its first |F|");
    add_parameter("Level tolerance", level_tolerance, "See Nested", prm, Double(1e-14, 0.5));
    add_parameter("Continuation", continuation,
                  "Viscosities to solve for before, the largest first; empty: none up to a Reynolds number of 2000 in "
                  "2D and 500 in 3D, above it by factors of at most 2.5");
    add_parameter("Least linear tolerance", least,
                  "Linear systems are solved to 0.9 (|F| / |F before|)^2 between this and the next", prm,
                  Double(1e-14, 0.5));
    add_parameter("Largest linear tolerance", most, "See Least linear tolerance", prm, Double(1e-14, 0.5));
  }

  adamant::NewtonOptions options(bool from_rest) const
  {
    adamant::NewtonOptions options;
    options.picard_until    = !newton ? 1e-300 : from_rest ? picard_until : 0.;
    options.max_halvings    = 6;
    options.rescues         = newton ? 2 : 0;
    options.least_tolerance = least;
    options.most_tolerance  = most;
    return options;
  }

  void check(double viscosity) const
  {
    require(least <= most, "Nonlinear solver/Least linear tolerance = ", least,
            " is above Largest linear tolerance = ", most);
    double last = HUGE_VAL;
    for (const double nu : continuation)
      {
        require(nu < last && nu > viscosity,
                "Nonlinear solver/Continuation: viscosities have to decrease towards "
                "Problem/Viscosity = ",
                viscosity, ", and ", nu, " does not");
        last = nu;
      }
  }
};

// Parameters of every linear solver, and the scheme of the preconditioner.
struct SolverParameters : adamant::LinearSolverParameters
{
  std::string scheme = "coupled";

  SolverParameters()
    : LinearSolverParameters(default_options(), 64)
  {
    add_parameter(
      "Scheme", scheme,
      "Of the preconditioner: coupled, a V-cycle for velocity and pressure together; block_triangular, for "
      "comparison: a V-cycle for the velocity, then nu times the inverse of the pressure's lumped mass matrix",
      prm, Patterns::Selection("coupled|block_triangular"));
  }

  bool is_block_triangular() const { return scheme == "block_triangular"; }

  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.control.max_iterations = 200;
    options.restart                = 60;
    options.multigrid.smoother     = {"cell_patches", false, 0.7};
    return options;
  }
};

// Further refinement of the mesh after a solve.
struct RefinementParameters : ParameterAcceptor
{
  unsigned int cycles    = 0;
  double       fraction  = 0.2;
  std::string  estimator = "kelly";

  RefinementParameters()
    : ParameterAcceptor("/Refinement")
  {
    using namespace Patterns;
    add_parameter("Cycles", cycles, "Times that the mesh is refined where the velocity's error is estimated largest",
                  prm, Integer(0, 20));
    add_parameter("Fraction", fraction, "Of the cells, each time", prm, Double(0., 1.));
    add_parameter(
      "Estimator", estimator,
      "Of a cell's error: kelly, the jumps of the velocity's derivatives; residual, tau |R| and what the mesh "
      "does not show of the prescribed velocity",
      prm, Selection("kelly|residual"));
  }
};

struct OutputParameters : ParameterAcceptor
{
  bool                             files = true;
  std::vector<std::vector<double>> profiles, points;
  unsigned int                     profile_points = 101;
  std::vector<std::string>         force_names;
  std::set<unsigned int>           force_boundaries; // once the parameters are read
  double                           force_scale = 1.;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Output")
  {
    using namespace Patterns;
    parse_parameters_call_back.connect(
      [this, &mesh_file] { force_boundaries = mesh_file.boundary_ids("Output/Force boundaries", force_names); });
    add_parameter("Files", files, "Write VTU files");
    add_parameter("Profiles", profiles,
                  "Lines along which the flow is sampled: 'x0, y0, x1, y1; ...', six numbers each in 3D");
    add_parameter("Profile points", profile_points, "On each line, ends included", prm, Integer(2));
    add_parameter("Points", points, "Where velocity and pressure are recorded: 'x, y; x, y; ...'");
    add_parameter("Force boundaries", force_names, "Ids on which the fluid's force is computed");
    add_parameter("Force scale", force_scale, "Forces are multiplied by this, as for drag and lift coefficients");
  }

  void check(const adamant::MeshParameters &mesh, unsigned int dim) const
  {
    for (const auto &line : profiles)
      require(line.size() == 2 * dim, "Output/Profiles: a line needs ", 2 * dim, " numbers, one has ", line.size());
    for (const auto &point : points)
      require(point.size() >= dim, "Output/Points: a point has fewer than ", dim, " coordinates");
    for (const auto id : force_boundaries)
      mesh.check_boundary("Output/Force boundaries", id, dim);
  }
};

struct Parameters
{
  adamant::MeshParameters  mesh;
  ProblemParameters        problem{mesh};
  DiscretizationParameters discretization;
  NonlinearParameters      nonlinear;
  SolverParameters         linear_solver;
  RefinementParameters     refinement;
  OutputParameters         output{mesh};

  unsigned int dim() const { return problem.dimension; }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    mesh.check(dim());
    problem.check(mesh);
    discretization.check();
    nonlinear.check(problem.viscosity);
    output.check(mesh, dim());
    linear_solver.require_multigrid();
    linear_solver.require_embedding();
    const auto type = linear_solver.options("").type;
    require(type == adamant::SolverType::gmres || type == adamant::SolverType::bicgstab,
            "Linear solver/Solver: the matrices are not symmetric, and this program has gmres and bicgstab only");
    require(linear_solver.coarse_solver != "trilinos_amg",
            "Linear solver/Coarse solver = trilinos_amg: this program has dense_inverse and smoothing only");
  }
};
} // namespace stationary_navier_stokes
