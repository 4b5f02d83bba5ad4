#pragma once

#include "base/point_values.h"

#include <cmath>

/// Equation data of the template: functions of position at one time, for host and GPU, so they call nothing of deal.II.
namespace heat
{
/// s = 16 |x - c|², c = (1/2, ..., 1/2).
template <int dim>
ADAMANT_HOST_DEVICE double square_of_distance(const double *x)
{
  double s = 0;
  for (int d = 0; d < dim; ++d)
    s += 16. * (x[d] - 0.5) * (x[d] - 0.5);
  return s;
}

/// u(t,x) = (1 + t) exp(-s): the initial values, the boundary values, and what the computed solution is compared with.
template <int dim>
struct Exact
{
  double time;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    return (1. + time) * exp(-square_of_distance<dim>(x));
  }
};

/// f = d_t u - kappa Laplace u + rho u for this u, with Laplace u = (64 s - 32 dim) u and d_t u = exp(-s).
template <int dim>
struct Source
{
  double time, kappa, rho;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    const double s = square_of_distance<dim>(x), blob = exp(-s), u = (1. + time) * blob;
    return blob - kappa * (64. * s - 32. * dim) * u + rho * u;
  }
};
} // namespace heat
