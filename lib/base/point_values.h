#pragma once

#include "base/host_device.h"

namespace adamant
{
/// A functor for Device::for_each that sets target[i] = function(x_i) at n points. Point i has the coordinates d in
/// points[d * n + i], as support_points and quadrature_points return them. `function` takes `const double *x`, which
/// has dim coordinates.
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
} // namespace adamant
