#pragma once

#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "expressions/expressions.h"
#include "flow/flow_boundaries.h"
#include "meshes/mesh_parameters.h"
#include "stokes/stokes_matrices.h"
#include "stokes/stokes_parameters.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>
#include <vector>

namespace stokes
{
using namespace dealii;
using adamant::require;

inline constexpr unsigned int most_sinkers = 24; // the number of known centres

struct ProblemParameters : adamant::FlowBoundaries
{
  static constexpr unsigned int usual_sinkers   = 4;
  static constexpr double       usual_ratio     = 1e6;
  static constexpr const char  *usual_viscosity = "1", *usual_force = "0; -1; 0";

  unsigned int dimension = 2, n_sinkers = usual_sinkers;
  std::string  name            = "sinker", exact_velocity, exact_pressure;
  double       viscosity_ratio = usual_ratio;

  adamant::Coefficient viscosity, body_force; // once the parameters are read

  explicit ProblemParameters(const adamant::MeshParameters &mesh)
    : FlowBoundaries(mesh, {"x, y, z", "(eta (grad u + grad u^T) - p) n",
                            "as the case has it (sinker and solcx free_slip, others no_slip)",
                            "; exact: Exact velocity, on all boundaries that no other list names", ""})
  {
    using namespace Patterns;
    add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
    add_parameter(
      "Case", name,
      "sinker: a block sinks in a box with free slip; nsinker: balls in a box without slip (Rudi, Stadler and "
      "Ghattas); solcx: a jump of viscosity whose solution is known, in 2D; expressions: Viscosity and Body force",
      prm, Selection("sinker|nsinker|solcx|expressions"));
    add_parameter("Viscosity ratio", viscosity_ratio, "Largest over smallest viscosity of all cases but expressions",
                  prm, Double());
    add_parameter("Sinkers", n_sinkers, "Number of balls of nsinker: 1 to 24", prm, Integer());
    add_parameter("Viscosity", viscosity_text,
                  "eta: a number, an expression of x, y, z, or a list by material: 'id: ..., id: ..., elsewhere'");
    parse_parameters_call_back.connect([this, &mesh] {
      viscosity  = {"Problem/Viscosity", viscosity_text, mesh.materials("Problem/Viscosity")};
      body_force = {"Problem/Body force", force_text, mesh.materials("Problem/Body force"),
                    adamant::Coefficient::Components::vector};
    });
    add_parameter("Body force", force_text,
                  "f per volume: expressions of x, y, z separated by semicolons, or a list by material");
    add_parameter("Exact velocity", exact_velocity,
                  "With Case = expressions, where it is known: expressions of x, y, z; errors go to run.json");
    add_parameter(
      "Exact pressure", exact_pressure,
      "With Case = expressions, where it is known: an expression of x, y, z; of zero mean where no boundary "
      "is open");
  }

  std::string default_kind() const override { return name == "sinker" || name == "solcx" ? "free_slip" : "no_slip"; }
  std::string exact() const override { return exact_velocity; }

  void check() const
  {
    require(viscosity_ratio >= 1. && viscosity_ratio <= 1e12, "Problem/Viscosity ratio = ", viscosity_ratio,
            ": it has to be between 1 and 1e12, which is what double precision can resolve");
    require(name != "nsinker" || (n_sinkers >= 1 && n_sinkers <= most_sinkers), "Problem/Sinkers = ", n_sinkers,
            ": there are centres for 1 to ", most_sinkers);
    require(name != "solcx" || dimension == 2, "Problem/Case = solcx needs Problem/Dimension = 2");
    const bool given  = name == "expressions";
    const auto refuse = [this](bool read, const std::string &key, const auto &value, const auto &usual) {
      require(read || value == usual, "Problem/", key, " = ", value, " counts for nothing with Problem/Case = ", name);
    };
    refuse(!given, "Viscosity ratio", viscosity_ratio, usual_ratio);
    refuse(name == "nsinker", "Sinkers", n_sinkers, usual_sinkers);
    refuse(given, "Viscosity", viscosity_text, usual_viscosity);
    refuse(given, "Body force", force_text, usual_force);
    refuse(given, "Exact velocity", exact_velocity, "");
    refuse(given, "Exact pressure", exact_pressure, "");
    if (given)
      {
        viscosity.check(
          [this](const std::string &text) { adamant::check_expression(viscosity.key(), text, 1, dimension); });
        body_force.check(
          [this](const std::string &text) { adamant::check_expression(body_force.key(), text, dimension, dimension); });
        if (!exact_velocity.empty())
          adamant::check_expression("Problem/Exact velocity", exact_velocity, dimension, dimension);
        if (!exact_pressure.empty())
          adamant::check_expression("Problem/Exact pressure", exact_pressure, 1, dimension);
      }
    FlowBoundaries::check(dimension);
  }

private:
  std::string viscosity_text = usual_viscosity, force_text = usual_force;
};

struct DiscretizationParameters : ParameterAcceptor
{
  std::string velocity = "q1_iso_q2";

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    add_parameter("Velocity", velocity,
                  "Elements of the velocity, beside a continuous bilinear pressure on the pressure mesh: q1_iso_q2: "
                  "bilinear on that mesh refined once; q2: biquadratic on it (Taylor-Hood), with the same nodes",
                  prm, Patterns::Selection("q1_iso_q2|q2"));
  }

  adamant::VelocityElement element() const
  {
    return velocity == "q2" ? adamant::VelocityElement::q2 : adamant::VelocityElement::q1_iso_q2;
  }
  unsigned int degree() const { return velocity == "q2" ? 2 : 1; }
};

struct ViscosityParameters : adamant::ViscosityParameters
{
  unsigned int stages = 1;

  ViscosityParameters()
  {
    add_parameter("Continuation stages", stages,
                  "Stage k of n solves with the viscosity min (eta / min)^(k/n), from the solution before; for "
                  "comparison: one stage is quickest",
                  prm, Patterns::Integer(1, 50));
  }
};

// Further refinement of the pressure mesh.
struct RefinementParameters : ParameterAcceptor
{
  unsigned int for_viscosity = 0, for_velocity = 0;
  double       ratio = 2., fraction = 0.1;

  RefinementParameters()
    : ParameterAcceptor("/Refinement")
  {
    using namespace Patterns;
    add_parameter("For viscosity", for_viscosity,
                  "Times that cells are refined in which, or beside which, the viscosity varies", prm, Integer(0, 10));
    add_parameter("Viscosity varies by", ratio, "Least ratio of its largest to its smallest value", prm, Double(1.001));
    add_parameter("For velocity", for_velocity,
                  "Further times, after a solve, by Kelly's estimator of the velocity's error", prm, Integer(0, 10));
    add_parameter("Fraction", fraction, "Fraction of cells refined for the velocity's error", prm, Double(0., 1.));
  }
};

struct OutputParameters : adamant::StokesOutputParameters
{
  bool files = true;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : StokesOutputParameters(mesh_file, "velocity and pressure are recorded")
  {
    add_parameter("Files", files, "Write VTU files");
  }
};

struct Parameters
{
  adamant::MeshParameters mesh{"pressure mesh", "; the velocity's nodes are the nodes of the mesh refined once more", 5,
                               3};
  ProblemParameters       problem{mesh};
  DiscretizationParameters discretization;
  RefinementParameters     refinement;
  ViscosityParameters      viscosity;
  OutputParameters         output{mesh};

  adamant::StokesSolverParameters linear_solver{"bfbt for nsinker, else mass"};

  unsigned int dim() const { return problem.dimension; }

  adamant::SchurComplement schur() const
  {
    return linear_solver.schur_complement(problem.name == "nsinker" ? adamant::SchurComplement::bfbt :
                                                                      adamant::SchurComplement::mass);
  }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    problem.check();
    mesh.check(dim(), 1);
    linear_solver.check();
    output.check(dim());
  }
};
} // namespace stokes
