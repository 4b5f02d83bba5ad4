#pragma once

#include "base/host_device.h"

namespace adamant
{
/// For a backend's for_each: target[i] = function(x_i) at n points, coordinate d of point i in points[d * n + i] (as
/// support_points and quadrature_points give them). `function` takes `const double *x`, x[0] to x[dim - 1].
template <int dim, class Function>
struct PointValues
{
  Function      function;
  const double *points;
  int           n;
  double       *target;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double x[dim];
    for (int d = 0; d < dim; ++d)
      x[d] = points[d * static_cast<long>(n) + i];
    target[i] = function(x);
  }
};

/// values[i] = function(x_i) for values.size() points, all on the backend. For CUDA a .cu file instantiates
/// CudaBackend<double>::for_each with PointValues<dim, Function>.
template <int dim, class Backend, class Function>
void evaluate(const Backend &backend, const Function &function, const typename Backend::Vector &points,
              typename Backend::Vector &values)
{
  backend.for_each(values.size(), PointValues<dim, Function>{function, points.data(), values.size(), values.data()});
}
} // namespace adamant
