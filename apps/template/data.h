#pragma once

#include "base/point_values.h"

#include <cmath>

/// Equation data of the template: functions of position at one time, for host and GPU, so they call nothing of deal.II.
namespace heat
{
/// u(t,x) = (1 + t) exp(-s), s = 16 |x - c|², c = (1/2, ..., 1/2): the initial values, the boundary values, and what
/// the computed solution is compared with.
template <int dim>
struct Exact
{
  double time;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    double s = 0;
    for (int d = 0; d < dim; ++d)
      s += 16. * (x[d] - 0.5) * (x[d] - 0.5);
    return (1. + time) * exp(-s);
  }
};

/// f = d_t u - kappa Laplace u + rho u for this u, with Laplace u = (64 s - 32 dim) u.
template <int dim>
struct Source
{
  double time, kappa, rho;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    const double u = Exact<dim>{time}(x), blob = Exact<dim>{0.}(x); // d_t u = blob = exp(-s)
    return blob - kappa * (-64. * log(blob) - 32. * dim) * u + rho * u;
  }
};
} // namespace heat
