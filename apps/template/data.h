#pragma once

#include "coefficients/values_at_points.h"

#include <cmath>

/// Equation data of the template: functions of position at one time, for host and GPU. They call no function of
/// deal.II.
namespace heat
{
/// Returns s = 16 |x - c|² with c = (1/2, ..., 1/2).
template <int dim>
ADAMANT_HOST_DEVICE double square_of_distance(const double *x)
{
  double s = 0;
  for (int d = 0; d < dim; ++d)
    s += 16. * (x[d] - 0.5) * (x[d] - 0.5);
  return s;
}

/// The function u(t,x) = (1 + t) exp(-s): initial values, boundary values and the exact solution.
template <int dim>
struct Exact
{
  double t;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const { return (1. + t) * exp(-square_of_distance<dim>(x)); }
};

/// The source f = d_t u - kappa Laplace u + rho u for the exact solution u. It has Laplace u = (64 s - 32 dim) u and
/// d_t u = exp(-s).
template <int dim>
struct Source
{
  double t, kappa, rho;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    const double s = square_of_distance<dim>(x), blob = exp(-s), u = (1. + t) * blob;
    return blob - kappa * (64. * s - 32. * dim) * u + rho * u;
  }
};
} // namespace heat
