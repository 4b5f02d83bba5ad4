#pragma once

#include "data.h"

#include "base/exceptions.h"
#include "coefficients/level_points.h"
#include "coefficients/values_at_points.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "frame/adaptivity.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/parameters/time_parameters.h"
#include "frame/start_up.h"
#include "meshes/mesh_file.h"
#include "scalar/scalar_equation.h"

#include <deal.II/base/parameter_acceptor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace transport_diffusion
{
using namespace dealii;
using adamant::require;

struct ProblemParameters : ParameterAcceptor
{
  static constexpr const char *manufactured = "manufactured";

  unsigned int                       dimension = 2;
  std::map<std::string, std::string> functions; // by key: expressions, or `manufactured`
  adamant::Coefficient               source;    // once the parameters are read
  adamant::ScalarCoefficients        coefficients;
  adamant::ScalarBoundaries          boundaries;

  explicit ProblemParameters(const adamant::MeshFileParameters &mesh_file)
    : ParameterAcceptor("/Problem")
    , coefficients(mesh_file)
    , boundaries(mesh_file, manufactured)
  {
    add_parameter("Dimension", dimension, "Dimension of the unit square or cube: 2 or 3", prm, Patterns::Integer(2, 3));
    const auto add_function = [this](const std::string &key, const std::string &description) {
      add_parameter(key, functions[key] = manufactured, description);
    };
    add_function(
      "Source", "f, an expression of x, y, z, t, or a list by material; manufactured: made from exp(-|x - c(t)|^2 / 4) "
                "with all components of c(t) equal to 1/2 + cos(pi t / 2) / 4");
    parse_parameters_call_back.connect([this, &mesh_file] {
      source = {"Problem/Source", functions.at("Source"), mesh_file.materials("Problem/Source")};
    });
    add_function("Initial values", "An expression of x, y, z; or manufactured");
    add_function("Exact solution",
                 "Where it is known, an expression of x, y, z, t for the L2 error in run.json; manufactured counts "
                 "where Source, Boundary values and Initial values are manufactured");
  }

  bool is_built_in(const std::string &key) const { return functions.at(key) == manufactured; }

  /// Returns the function that the parameter `key` gives, an expression or the exact solution, at one time.
  template <int dim>
  std::unique_ptr<Function<dim>> function_at_time(const std::string &key, double t) const
  {
    if (is_built_in(key))
      return adamant::dealii_function<dim>(ExactSolution<dim>(t));
    auto parsed = adamant::parse_function<dim>("Problem/" + key, functions.at(key), 1);
    parsed->set_time(t);
    return parsed;
  }

  /// Returns the source at the quadrature points of theta. Throws InputError where materials do not fit to the mesh.
  template <int dim>
  adamant::ValuesAtPoints source_values(const adamant::Device &device, const adamant::Unknown<dim> &theta) const
  {
    const auto points = theta.quadrature_points();
    if (is_built_in("Source"))
      return adamant::functor_at_points<dim>(
        device, points,
        [lambda = constants(coefficients.diffusion, 1), b = constants(coefficients.velocity, dim)](double t) {
          Source<dim> f{ExactSolution<dim>(t), lambda[0], {}};
          std::copy_n(b.data(), dim, f.b);
          return f;
        });
    const auto material = adamant::materials_at_points(theta.space(), theta.quadrature.size());
    source.check_materials(device.communicator(), adamant::materials_of(theta.space()));
    return {device, points.size() / dim, adamant::function_of_materials<dim>(device, source, material, 1, points),
            source.depends_on_time(), source.key()};
  }

  /// Returns the initial values on a device, at points in host memory.
  template <int dim>
  adamant::ValuesAtPoints initial_values(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    const std::string key = "Initial values", name = "Problem/" + key, text = functions.at(key);
    if (is_built_in(key))
      return exact_values<dim>(device, points);
    return {device, points.size() / dim, adamant::function_at_points<dim>(device, name, text, 1, points),
            adamant::depends_on_time(text), name};
  }

  /// Returns the prescribed values at the nodes that have them.
  template <int dim>
  adamant::ValuesAtPoints boundary_values(const adamant::Device &device, const adamant::DeviceField<dim> &theta) const
  {
    return boundaries.is_built_in() ?
             exact_values<dim>(device, theta.prescribed_nodes()) :
             boundaries.values_at(device, theta.space(), theta.space().prescribed, theta.prescribed_nodes());
  }

  bool has_source() const { return !source.is_zero(); }

  bool has_exact_solution() const
  {
    return is_built_in("Exact solution") ? is_built_in("Source") && boundaries.is_built_in() &&
                                             !boundaries.has_load() && is_built_in("Initial values") :
                                           !functions.at("Exact solution").empty();
  }

  void check(unsigned int degree, bool upwind) const
  {
    coefficients.check(dimension, degree, upwind);
    boundaries.check(dimension);
    for (const auto &[key, text] : functions)
      if (key != "Source" && !is_built_in(key) && !(text.empty() && key == "Exact solution"))
        adamant::check_expression("Problem/" + key, text, 1, dimension);
    if (!is_built_in("Source"))
      source.check([this](const std::string &text) { adamant::check_expression(source.key(), text, 1, dimension); });
    const auto &c = coefficients;
    require(!is_built_in("Source") ||
              (c.are_constant() && c.reaction.is_zero() && c.diffusion.by_material().empty() &&
               c.velocity.by_material().empty() && adamant::split_numbers(c.diffusions).size() < 2),
            "Problem/Source = manufactured is for a constant Diffusion and Transport of all cells, without Reaction; "
            "give an expression, or 0");
  }

private:
  static std::vector<double> constants(const adamant::Coefficient &coefficient, unsigned int n)
  {
    return adamant::constant_values(coefficient.key(), coefficient.in(0), n);
  }
  template <int dim>
  static adamant::ValuesAtPoints exact_values(const adamant::Device &device, const adamant::Array<double> &points)
  {
    return adamant::functor_at_points<dim>(device, points, [](double t) { return ExactSolution<dim>(t); });
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  unsigned int degree = 1, quadrature = 0, coarse_cells = 1, refinements = 5, adaptive_cycles = 2;
  double       refine_fraction = 0.15, coarsen_fraction = 0.03;
  bool         supg = false;

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    using namespace Patterns;
    add_parameter("Degree", degree, "Degree of the finite elements FE_Q: 1 or 2", prm, Integer(1, 2));
    add_parameter("Quadrature points", quadrature, "Gauss points in each direction; 0 takes degree + 1", prm,
                  Integer(0, 20));
    add_parameter("SUPG", supg, "Streamline upwind stabilisation, for transport-dominated problems");
    add_parameter("Coarse cells", coarse_cells, "Cells of the unit box in each direction, before refinement", prm,
                  Integer(1, 1000));
    add_parameter("Refinements", refinements, "Number n of uniform refinements: h = 2^-n with one coarse cell", prm,
                  Integer(0));
    add_parameter("Adaptive cycles", adaptive_cycles,
                  "Further refinements where the Kelly estimator finds the initial values least resolved", prm,
                  Integer(0, 20));
    add_parameter("Refine fraction", refine_fraction, "Of the cells, in each adaptive cycle", prm, Double(0., 1.));
    add_parameter("Coarsen fraction", coarsen_fraction, "Of the cells, in each adaptive cycle", prm, Double(0., 1.));
  }
};

struct TimeParameters : adamant::TimeParameters
{
  std::string scheme = "backward_euler";

  TimeParameters()
    : adamant::TimeParameters(2., 0.02)
  {
    add_parameter("Scheme", scheme, "BDF2 begins with one step of backward Euler", prm,
                  Patterns::Selection("backward_euler|crank_nicolson|bdf2"));
    add_extrapolation_order(2);
    add_output_interval(10);
  }
};

struct Parameters
{
  unsigned int dim() const { return problem.dimension; }

  adamant::MeshFileParameters     mesh_file{"; empty: the unit box, see Discretization"};
  ProblemParameters               problem{mesh_file};
  DiscretizationParameters        discretization;
  TimeParameters                  time;
  adamant::LinearSolverParameters linear_solver;
  adamant::AdaptivityParameters   adaptivity{{"theta"}};
  adamant::EvaluationParameters   output{mesh_file,
                                       "theta; on boundaries flux, -(lambda grad theta) . n by quadrature",
                                       "theta is recorded with the statistics",
                                       "the last theta is",
                                       {"flux", "gradient"}};

  Parameters() { output.add_statistics_interval(); }

  adamant::Schedule schedule() const
  {
    auto schedule                = time.schedule();
    schedule.statistics_interval = output.statistics_interval;
    return schedule;
  }

  // Returns the keys that a continued run may not change.
  adamant::RestartKeys restart_keys() const { return output.of_columns(); }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    require(linear_solver.preconditioner != "component_blocks",
            "Linear solver/Preconditioner = component_blocks is for systems of several components; take multigrid");
    const double per_axis = std::pow(adamant::most_unknowns(), 1. / dim());
    const auto   most =
      static_cast<unsigned int>(std::log2((per_axis - 1.) / (discretization.coarse_cells * discretization.degree)));
    require(discretization.refinements <= most, "Discretization/Refinements = ", discretization.refinements,
            " gives more unknowns than 32-bit indices can count; at most ", most, " here");
    mesh_file.check(dim());
    problem.check(discretization.degree, discretization.supg);
    time.check();
    adaptivity.check(dim());
    output.check(dim());
  }
};
} // namespace transport_diffusion
