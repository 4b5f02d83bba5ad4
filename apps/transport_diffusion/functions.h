#pragma once

#include "data.h"
#include "parameters.h"

#include "expressions/expressions.h"
#include "expressions/functor_at_points.h"
#include "expressions/point_function.h"

#include <memory>
#include <string>

namespace transport_diffusion
{
/// The functions that ProblemParameters gives: expressions, or the exact solution's functions.
template <int dim>
class ProblemFunctions
{
public:
  ProblemFunctions(const ProblemParameters &parameters, const Coefficients<dim> &coefficients)
    : parameters(parameters)
    , coefficients(coefficients)
  {}

  std::unique_ptr<Function<dim>> initial_values() const
  {
    return function("Initial values", parameters.initial_values, 0.);
  }
  std::unique_ptr<Function<dim>> exact_solution(double t) const
  {
    return function("Exact solution", parameters.exact, t);
  }

  /// @name Values on a device, at points in host memory
  /// @{
  adamant::ValuesAtPoints initial_values_at(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    return at(device, "Initial values", parameters.initial_values, points);
  }
  adamant::ValuesAtPoints boundary_values_at(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    return at(device, "Boundary values", parameters.boundary_values, points);
  }
  adamant::ValuesAtPoints source_at(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    if (parameters.source != ProblemParameters::built_in)
      return expression_at(device, "Source", parameters.source, points);
    return adamant::functor_at_points<dim>(device, points, [c = coefficients](double t) {
      return Source<dim>{ExactSolution<dim>(t), c};
    });
  }
  /// @}

private:
  std::unique_ptr<Function<dim>> function(const std::string &key, const std::string &text, double t) const
  {
    if (text == ProblemParameters::built_in)
      return adamant::dealii_function<dim>(ExactSolution<dim>(t));
    auto parsed = adamant::parse_function<dim>("Problem/" + key, text, 1);
    parsed->set_time(t);
    return parsed;
  }
  adamant::ValuesAtPoints at(const adamant::Device &device, const std::string &key, const std::string &text,
                             const adamant::Array<double> &points) const
  {
    if (text != ProblemParameters::built_in)
      return expression_at(device, key, text, points);
    return adamant::functor_at_points<dim>(device, points, [](double t) { return ExactSolution<dim>(t); });
  }

  static adamant::ValuesAtPoints expression_at(const adamant::Device &device, const std::string &key,
                                               const std::string &text, const adamant::Array<double> &points)
  {
    return {device, points.size() / dim, adamant::function_at_points<dim>(device, "Problem/" + key, text, 1, points),
            adamant::depends_on_time(text)};
  }

  const ProblemParameters &parameters;
  const Coefficients<dim>  coefficients;
};
} // namespace transport_diffusion
