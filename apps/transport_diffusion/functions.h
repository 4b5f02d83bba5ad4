#pragma once

#include "data.h"
#include "parameters.h"

#include "expressions/expressions.h"
#include "expressions/values_at_points.h"

#include <memory>
#include <string>

namespace transport_diffusion
{
/// Returns the function that the parameter `key` gives, an expression or the exact solution, at one time.
template <int dim>
std::unique_ptr<Function<dim>> function_at_time(const ProblemParameters &problem, const std::string &key, double t)
{
  if (problem.is_built_in(key))
    return adamant::dealii_function<dim>(ExactSolution<dim>(t));
  auto parsed = adamant::parse_function<dim>("Problem/" + key, problem.functions.at(key), 1);
  parsed->set_time(t);
  return parsed;
}

/// Returns the values of the function on a device, at points in host memory. Where the parameter gives no expression,
/// they come from `built_in`, as functor_at_points takes it.
template <int dim, class AtTime>
adamant::ValuesAtPoints function_at_points(const ProblemParameters &problem, const std::string &key,
                                           const adamant::Device &device, const adamant::Array<double> &points,
                                           const AtTime &built_in)
{
  if (problem.is_built_in(key))
    return adamant::functor_at_points<dim>(device, points, built_in);
  const std::string name = "Problem/" + key, text = problem.functions.at(key);
  return {device, points.size() / dim, adamant::function_at_points<dim>(device, name, text, 1, points),
          adamant::depends_on_time(text), name};
}
} // namespace transport_diffusion
