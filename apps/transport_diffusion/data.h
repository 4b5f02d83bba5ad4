#pragma once

#include "base/host_device.h"

#include <cmath>

/// Equation data of the transport-diffusion problem as functors over nodes or quadrature points, for host and GPU.
/// Points are stored by coordinates: coordinate d of point i is points[d * n + i].
namespace transport_diffusion
{
/// The exact solution exp(-1/4 sum_d m_d²), m_d = c(t) - x_d, c(t) = 1/2 + 1/4 cos(pi t / 2), at one time.
template <int dim>
struct ExactSolution
{
  double c, c_dot; // c(t) and its derivative

  explicit ExactSolution(double t)
    : c(0.5 + 0.25 * std::cos(0.5 * pi * t))
    , c_dot(-0.125 * pi * std::sin(0.5 * pi * t))
  {}

  ADAMANT_HOST_DEVICE double value(const double *points, int n, int i) const
  {
    double sum = 0;
    for (int d = 0; d < dim; ++d)
      {
        const double m = c - points[d * static_cast<long>(n) + i];
        sum += m * m;
      }
    return exp(-0.25 * sum);
  }

private:
  static constexpr double pi = 3.14159265358979323846;
};

/// The constant coefficients of the equation.
template <int dim>
struct Coefficients
{
  double diffusion;      // lambda
  double transport[dim]; // b
};

/// target[i] = theta_exact(t, x_i): boundary and initial values.
template <int dim>
struct ExactValues
{
  ExactSolution<dim> solution;
  const double      *points;
  int                n;
  double            *target;

  ADAMANT_HOST_DEVICE void operator()(int i) const { target[i] = solution.value(points, n, i); }
};

/// f = d_t theta - lambda Laplace theta + b . grad theta of the exact solution: with m_d as above,
///   d_t theta = -1/2 c' sum m_d theta, d_d theta = 1/2 m_d theta, Laplace theta = (1/4 sum m_d² - dim/2) theta.
template <int dim>
ADAMANT_HOST_DEVICE inline double source(const ExactSolution<dim> &solution, const Coefficients<dim> &coefficients,
                                         const double *points, int n, int i)
{
  double sum = 0, square = 0, along = 0;
  for (int d = 0; d < dim; ++d)
    {
      const double m = solution.c - points[d * static_cast<long>(n) + i];
      sum += m;
      square += m * m;
      along += coefficients.transport[d] * m;
    }
  return exp(-0.25 * square) *
         (-0.5 * solution.c_dot * sum - coefficients.diffusion * (0.25 * square - 0.5 * dim) + 0.5 * along);
}

/// target[i] = new_weight f(t_new, x_i) + old_weight f(t_old, x_i).
template <int dim>
struct SourceValues
{
  ExactSolution<dim> now, old;
  double             new_weight, old_weight;
  Coefficients<dim>  coefficients;
  const double      *points;
  int                n;
  double            *target;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double value = new_weight * source<dim>(now, coefficients, points, n, i);
    if (old_weight != 0)
      value += old_weight * source<dim>(old, coefficients, points, n, i);
    target[i] = value;
  }
};
} // namespace transport_diffusion
