#pragma once

#include "base/host_device.h"
#include "coefficients/values_at_points.h"

#include <cmath>

/// Equation data of the transport-diffusion problem: functions of position at one time, for host and GPU. They call no
/// function of deal.II.
namespace transport_diffusion
{
/// The exact solution exp(-1/4 sum_d m_d²) at one time, with m_d = c(t) - x_d and c(t) = 1/2 + 1/4 cos(pi t / 2).
template <int dim>
struct ExactSolution
{
  static constexpr double pi = 3.14159265358979323846;
  double                  c, c_dot; ///< c(t) and its derivative

  explicit ExactSolution(double t)
    : c(0.5 + 0.25 * std::cos(0.5 * pi * t))
    , c_dot(-0.125 * pi * std::sin(0.5 * pi * t))
  {}

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    double sum = 0;
    for (int d = 0; d < dim; ++d)
      sum += (c - x[d]) * (c - x[d]);
    return exp(-0.25 * sum);
  }
};

/// The source f = d_t theta - lambda Laplace theta + b . grad theta of the exact solution theta. With m_d as above,
///   d_t theta = -1/2 c' sum m_d theta, d_d theta = 1/2 m_d theta, Laplace theta = (1/4 sum m_d² - dim/2) theta.
template <int dim>
struct Source
{
  ExactSolution<dim> theta;
  double             lambda, b[dim];

  ADAMANT_HOST_DEVICE double operator()(const double *x) const
  {
    double sum = 0, square = 0, along = 0;
    for (int d = 0; d < dim; ++d)
      {
        const double m = theta.c - x[d];
        sum += m;
        square += m * m;
        along += b[d] * m;
      }
    return exp(-0.25 * square) * (-0.5 * theta.c_dot * sum - lambda * (0.25 * square - 0.5 * dim) + 0.5 * along);
  }
};
} // namespace transport_diffusion
