#pragma once

#include "base/host_device.h"
#include "expressions/values_at_points.h"
#include "fem/forms/cell_kernel.h"

#include <cmath>

/// Equation data and cell kernels of the nonlinear heat equation, for host and GPU: they call no function of deal.II.
namespace nonlinear_heat
{
/// The conductivity k(u) = kappa (1 + beta u²) and its derivative.
struct Conductivity
{
  double kappa, beta;

  ADAMANT_HOST_DEVICE double operator()(double u) const { return kappa * (1. + beta * u * u); }
  ADAMANT_HOST_DEVICE double derivative(double u) const { return 2. * kappa * beta * u; }
};

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
  double time;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    return (1. + time) * exp(-square_of_distance<dim>(x));
  }
};

/// The source f = d_t u - div(k(u) grad u) for the exact solution u. It has Laplace u = (64 s - 32 dim) u, |grad u|² =
/// 64 s u² and d_t u = exp(-s).
template <int dim>
struct Source
{
  double       time;
  Conductivity k;

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    const double s = square_of_distance<dim>(x), blob = exp(-s), u = (1. + time) * blob;
    return blob - k(u) * (64. * s - 32. * dim) * u - k.derivative(u) * 64. * s * u * u;
  }
};

/// Stores k(u) and k'(u) grad u at a quadrature point; the latter is left out where `flux` is null.
template <int dim>
struct Coefficients
{
  Conductivity conductivity;
  double      *k, *flux; ///< flux[point dim + d]

  ADAMANT_HOST_DEVICE void operator()(int point, double u, const double *gradient) const
  {
    k[point] = conductivity(u);
    if (flux != nullptr)
      for (int d = 0; d < dim; ++d)
        flux[static_cast<long>(point) * dim + d] = conductivity.derivative(u) * gradient[d];
  }
};

/// Integrates `∫ mass φ_i φ_j + weight (k grad φ_i . grad φ_j + φ_j grad φ_i . flux)`, without the last term where
/// `flux` is null.
template <int dim>
struct System
{
  static constexpr int rows = 1, columns = 1;
  double               mass, weight;
  const double        *k, *flux;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    double K = k[at.point] * adamant::dot<dim>(at.gradient_i, at.gradient_j);
    if (flux != nullptr)
      K += at.value_j * adamant::dot<dim>(at.gradient_i, flux + static_cast<long>(at.point) * dim);
    local[0][0] += (mass * at.value_i * at.value_j + weight * K) * at.JxW;
  }
};
} // namespace nonlinear_heat
