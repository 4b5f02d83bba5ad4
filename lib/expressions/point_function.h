#pragma once

#include "algebra/device.h"
#include "expressions/expressions.h"

#include <functional>
#include <memory>
#include <string>

namespace adamant
{
/// A function of t at fixed points: sets values[c n + i] = f_c(t, x_i), c < n_components, i < n, where the device's vectors
/// live. Not to be recorded in a graph: t is fixed when it is called.
using PointFunction = std::function<void(double t, Vector<double> &values)>;

/// Temporary: on the host alone.
template <int dim>
PointFunction function_at_points(const Device &, const std::string &key, const std::string &text,
                                 unsigned int n_components, const Array<double> &points)
{
  const std::shared_ptr<dealii::FunctionParser<dim>> parsed = parse_function<dim>(key, text, n_components);
  return [parsed, points](double t, Vector<double> &values) {
    evaluate_at_points(*parsed, t, points, values.data());
  };
}
} // namespace adamant
