#pragma once

#include "application/linear_solver_parameters.h"
#include "application/mesh_parameters.h"
#include "base/require.h"
#include "discretization/forms/stokes_matrices.h"
#include "expressions/expressions.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace stokes
{
using namespace dealii;
using adamant::require;

inline constexpr unsigned int most_sinkers = 24; // whose centres are known

struct ProblemParameters : ParameterAcceptor
{
  unsigned int dimension = 2, n_sinkers = 4;
  std::string  name = "sinker", viscosity = "1", body_force = "0; -1; 0", exact_velocity, exact_pressure;
  double       viscosity_ratio = 1e6;
  std::string  boundaries, boundary_velocities;
  std::map<unsigned int, std::string> boundary_velocity; // by id, once read

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Problem")
    , mesh_file(mesh_file)
  {
    using namespace Patterns;
    add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
    add_parameter(
      "Case", name,
      "sinker: a block sinks in a box with free slip; nsinker: balls in a box without slip (Rudi, Stadler "
      "and Ghattas); solcx: a jump of viscosity whose solution is known, in 2D; expressions: as given below",
      prm, Selection("sinker|nsinker|solcx|expressions"));
    add_parameter("Viscosity ratio", viscosity_ratio, "Largest over smallest viscosity of the cases but expressions",
                  prm, Double());
    add_parameter("Sinkers", n_sinkers, "Number of balls of nsinker: 1 to 24", prm, Integer());
    add_parameter("Viscosity", viscosity, "eta: expression of x, y, z");
    add_parameter("Body force", body_force, "f per volume: expressions of x, y, z separated by semicolons");
    add_parameter("Boundaries", boundaries,
                  "What holds on them: no_slip or free_slip, by id 'id: no_slip, ...', or one for all; empty: as the "
                  "case has it (sinker and solcx free_slip, others no_slip). The sides of a box have ids 0, 1 (x), "
                  "2, 3 (y), 4, 5 (z)");
    parse_parameters_call_back.connect([this] {
      if (boundary_velocities != "exact")
        boundary_velocity = split("Problem/Boundary velocity", boundary_velocities);
    });
    add_parameter("Boundary velocity", boundary_velocities,
                  "Where all components are prescribed: 'id: u_x; u_y; u_z, id: ...', expressions of x, y, z; exact: "
                  "everywhere, as Exact velocity");
    add_parameter("Exact velocity", exact_velocity,
                  "Of expressions, where it is known: expressions of x, y, z; errors go to run.json");
    add_parameter("Exact pressure", exact_pressure, "Likewise; of zero mean");
  }

  // The velocity prescribed on a boundary; empty: another kind holds there.
  std::string velocity_on(unsigned int id) const
  {
    const auto found = boundary_velocity.find(id);
    return boundary_velocities == "exact" ? exact_velocity : found == boundary_velocity.end() ? "" : found->second;
  }

  // Of a boundary: no_slip, free_slip or velocity.
  std::string kind(unsigned int id) const
  {
    if (!velocity_on(id).empty())
      return "velocity";
    if (boundaries.empty())
      return name == "sinker" || name == "solcx" ? "free_slip" : "no_slip";
    if (boundaries.find(':') == std::string::npos)
      return boundaries;
    const auto by_id = split("Problem/Boundaries", boundaries);
    const auto found = by_id.find(id);
    return found == by_id.end() ? "no_slip" : Utilities::trim(found->second);
  }

  void check() const
  {
    require(viscosity_ratio >= 1. && viscosity_ratio <= 1e12, "Problem/Viscosity ratio = ", viscosity_ratio,
            ": it has to be between 1 and 1e12, which is what double precision can resolve");
    require(name != "nsinker" || (n_sinkers >= 1 && n_sinkers <= most_sinkers), "Problem/Sinkers = ", n_sinkers,
            ": there are centres for 1 to ", most_sinkers);
    require(name != "solcx" || dimension == 2, "Problem/Case = solcx needs Problem/Dimension = 2");
    if (name == "expressions")
      {
        adamant::check_expression("Problem/Viscosity", viscosity, 1, dimension);
        adamant::check_expression("Problem/Body force", body_force, dimension, dimension);
        if (!exact_velocity.empty())
          adamant::check_expression("Problem/Exact velocity", exact_velocity, dimension, dimension);
        if (!exact_pressure.empty())
          adamant::check_expression("Problem/Exact pressure", exact_pressure, 1, dimension);
      }
    require(boundary_velocities != "exact" || !exact_velocity.empty(),
            "Problem/Boundary velocity = exact needs Problem/Exact velocity");
    for (const auto &entry : boundary_velocity)
      adamant::check_expression("Problem/Boundary velocity", entry.second, dimension, dimension);
    if (boundaries.find(':') != std::string::npos)
      for (const auto &[id, text] : split("Problem/Boundaries", boundaries))
        {
          require(boundary_velocity.count(id) == 0, "Problem: boundary ", id,
                  " has a kind and a velocity; it can have ", "one of them");
          check_kind(Utilities::trim(text));
        }
    else if (!boundaries.empty())
      check_kind(boundaries);
  }

private:
  std::map<unsigned int, std::string> split(const std::string &key, const std::string &text) const
  {
    return adamant::split_by_boundary(key, text, mesh_file.boundaries(key));
  }

  static void check_kind(const std::string &text)
  {
    require(text == "no_slip" || text == "free_slip", "Problem/Boundaries: '", text,
            "' should be no_slip or free_slip");
  }

  const adamant::MeshFileParameters &mesh_file;
};

struct ViscosityParameters : ParameterAcceptor
{
  std::string  finest = "harmonic", coarse = "arithmetic";
  unsigned int stages = 1;

  ViscosityParameters()
    : ParameterAcceptor("/Viscosity")
  {
    using namespace Patterns;
    add_parameter("Finest average", finest,
                  "In each cell of the velocity mesh, over its 2^dim Gauss points; none: at each point on the finest "
                  "level",
                  prm, Selection("harmonic|geometric|arithmetic|none"));
    add_parameter("Coarse average", coarse, "In each cell of coarser levels, over the cells that it contains", prm,
                  Selection("arithmetic|geometric|harmonic"));
    add_parameter("Continuation stages", stages,
                  "Stage k of n solves with the viscosity min (eta / min)^(k/n), from the solution before; for "
                  "comparison: one stage is quickest",
                  prm, Integer(1, 50));
  }

  static adamant::Average average(const std::string &name)
  {
    return name == "harmonic"  ? adamant::Average::harmonic :
           name == "geometric" ? adamant::Average::geometric :
                                 adamant::Average::arithmetic;
  }
};

// Beside those of every linear solver.
struct SolverParameters : adamant::LinearSolverParameters
{
  std::string schur           = "auto";
  double      exponent        = 0.75;
  double      boundary_weight = 1.;
  bool        adapt_precision = true;

  SolverParameters()
    : LinearSolverParameters(default_options(), 125)
  {
    using namespace Patterns;
    add_parameter("Schur complement", schur,
                  "Its approximation: mass, the pressure's mass matrix over the viscosity; bfbt, the weighted "
                  "least-squares commutator; auto: bfbt for nsinker, else mass",
                  prm, Selection("auto|mass|bfbt"));
    add_parameter("BFBT exponent", exponent, "q of the weights 1 / int eta^q phi of bfbt", prm, Double(0., 2.));
    add_parameter("BFBT boundary weight", boundary_weight, "Of cells at walls in these weights", prm,
                  Double(0.01, 100.));
    add_parameter("Adapt precision", adapt_precision,
                  "float32 becomes mixed where the viscosity varies by more than 1e5, and by more than 1e3 from a cell "
                  "to the next, or where GMRES has not converged");
  }

  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.restart             = 60;
    options.precision           = adamant::Precision::float32;
    options.control.tolerance   = 1e-6;
    options.multigrid.smoother  = {"block_jacobi", true, 0.8, 8.};
    options.multigrid.pre_steps = options.multigrid.post_steps = 3;
    return options;
  }

  // Of the pressure's V-cycle in bfbt.
  static adamant::MultigridOptions pressure_options()
  {
    adamant::MultigridOptions options;
    options.smoother  = {"jacobi", true, 0.8, 16.};
    options.pre_steps = options.post_steps = 3;
    options.singular                       = true;
    return options;
  }
};

// Where the mesh is refined further; the velocity mesh is the result refined once more.
struct RefinementParameters : ParameterAcceptor
{
  unsigned int for_viscosity = 0, for_velocity = 0;
  double       ratio = 2., fraction = 0.1;

  RefinementParameters()
    : ParameterAcceptor("/Refinement")
  {
    using namespace Patterns;
    add_parameter("For viscosity", for_viscosity,
                  "Times that the cells are refined in which, or at which, the viscosity varies", prm, Integer(0, 10));
    add_parameter("Viscosity varies by", ratio, "At least, as largest over smallest value", prm, Double(1.001));
    add_parameter("For velocity", for_velocity,
                  "Then as often, by Kelly's estimator of the velocity's error, after a solve", prm, Integer(0, 10));
    add_parameter("Fraction", fraction, "Of the cells, each of these times", prm, Double(0., 1.));
  }
};

struct OutputParameters : ParameterAcceptor
{
  bool                             files  = true;
  std::vector<std::vector<double>> points = {{0.5, 0.5, 0.5}};

  OutputParameters()
    : ParameterAcceptor("/Output")
  {
    add_parameter("Files", files, "Write VTU files");
    add_parameter("Points", points, "Where velocity and pressure are recorded: 'x, y, z; x, y, z; ...'");
  }
};

struct Parameters
{
  adamant::MeshParameters mesh{"pressure mesh", "; the velocity mesh has one more", 5, 3};
  ProblemParameters       problem{mesh};
  RefinementParameters    refinement;
  ViscosityParameters     viscosity;
  SolverParameters        linear_solver;
  OutputParameters        output;

  unsigned int             dim() const { return problem.dimension; }
  std::vector<std::string> may_change() const { return {"Output"}; }

  adamant::SchurComplement schur() const
  {
    const bool bfbt = linear_solver.schur == "bfbt" || (linear_solver.schur == "auto" && problem.name == "nsinker");
    return bfbt ? adamant::SchurComplement::bfbt : adamant::SchurComplement::mass;
  }

  // What no single parameter's pattern can tell.
  void check() const
  {
    problem.check();
    mesh.check(dim(), 1);
    require(linear_solver.options("").type == adamant::SolverType::gmres,
            "Linear solver/Solver: the system is indefinite, and this program has gmres only");
    require(viscosity.stages == 1 || viscosity.finest != "none",
            "Viscosity/Continuation stages needs a Finest average other than none");
    for (const auto &point : output.points)
      require(point.size() >= dim(), "Output/Points: a point has fewer than ", dim(), " coordinates");
  }
};
} // namespace stokes
