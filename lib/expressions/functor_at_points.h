#pragma once

#include "algebra/device.h"
#include "base/point_values.h"
#include "expressions/values_at_points.h"

#include <deal.II/base/function.h>
#include <deal.II/base/point.h>

#include <memory>

namespace adamant
{
/// Sets values[i] = f(x_i) for n = values.size() points, all in device memory: points[d n + i] is coordinate d of x_i.
/// `f` takes a `const double *x` with x[0] to x[dim - 1]. For CUDA, a .cu file has to instantiate cuda::for_each with
/// PointValues<dim, F>.
template <int dim, class F>
void evaluate(const Device &device, const F &f, const Vector<double> &points, Vector<double> &values)
{
  device.for_each(values.size(), PointValues<dim, F>{f, points.data(), values.size(), values.data()});
}

/// Returns the function of t whose values at time t come from the functor at_time(t), which is as `evaluate` takes it.
/// The coordinates `points` are in host memory. This is the counterpart of function_at_points for compiled functions.
template <int dim, class AtTime>
ValuesAtPoints functor_at_points(const Device &device, const Array<double> &points, const AtTime &at_time)
{
  const auto on_device = std::make_shared<const Vector<double>>(device, points);
  return ValuesAtPoints(device, points.size() / dim, [device, on_device, at_time](double t, Vector<double> &values) {
    evaluate<dim>(device, at_time(t), *on_device, values);
  });
}

/// Returns a functor, as `evaluate` takes it, as a function of deal.II.
template <int dim, class F>
std::unique_ptr<dealii::Function<dim>> dealii_function(const F &f)
{
  return std::make_unique<dealii::ScalarFunctionFromFunctionObject<dim>>(
    [f](const dealii::Point<dim> &p) { return f(&p[0]); });
}
} // namespace adamant
