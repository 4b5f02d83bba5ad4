#pragma once

#include "data.h"
#include "parameters.h"

#include "expressions/expressions.h"
#include "expressions/point_function.h"
#include "expressions/values_at_points.h"

#include <memory>
#include <string>

namespace transport_diffusion
{
/// A function that a parameter gives: an expression, or the exact solution.
template <int dim>
struct ProblemFunction
{
  const std::string key, text;

  std::unique_ptr<Function<dim>> at_time(double t) const
  {
    if (text == ProblemParameters::built_in)
      return adamant::dealii_function<dim>(ExactSolution<dim>(t));
    auto parsed = adamant::parse_function<dim>(key, text, 1);
    parsed->set_time(t);
    return parsed;
  }

  /// Returns its values on a device, at points in host memory. Where it is no expression, they come from `built_in`, as
  /// functor_at_points takes it.
  template <class AtTime>
  adamant::ValuesAtPoints at_points(const adamant::Device &device, const adamant::Array<double> &points,
                                    const AtTime &built_in) const
  {
    if (text == ProblemParameters::built_in)
      return adamant::functor_at_points<dim>(device, points, built_in);
    return {device, points.size() / dim, adamant::function_at_points<dim>(device, key, text, 1, points),
            adamant::depends_on_time(text), key};
  }
  adamant::ValuesAtPoints at_points(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    return at_points(device, points, [](double t) { return ExactSolution<dim>(t); });
  }
};

/// The functions of ProblemParameters.
template <int dim>
struct ProblemFunctions
{
  explicit ProblemFunctions(const ProblemParameters &p)
    : coefficients(p.coefficients<dim>())
    , initial_values{"Problem/Initial values", p.initial_values}
    , boundary_values{"Problem/Boundary values", p.boundary_values}
    , exact_solution{"Problem/Exact solution", p.exact}
    , source{"Problem/Source", p.source}
  {}

  adamant::ValuesAtPoints source_at(const adamant::Device &device, const adamant::Array<double> &points) const
  {
    return source.at_points(device, points, [c = coefficients](double t) {
      return Source<dim>{ExactSolution<dim>(t), c};
    });
  }

  const Coefficients<dim>    coefficients;
  const ProblemFunction<dim> initial_values, boundary_values, exact_solution, source;
};
} // namespace transport_diffusion
