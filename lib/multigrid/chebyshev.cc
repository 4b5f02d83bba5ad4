#include "multigrid/chebyshev.h"

#include "multigrid/smoothers/registry.h"
#include "multigrid/smoothers/setup.h"

#include <cmath>

namespace adamant
{
template <typename Number>
PolynomialSmoother<Number>::PolynomialSmoother(const SmootherLevel<Number> &level, const SmootherOptions &options)
  : level(level)
  , options(options)
  , smoother(make_smoother(options.type, level))
{
  if (!options.chebyshev)
    return;
  d      = Vector(level.device, level.matrix->n_rows);
  lambda = largest_eigenvalue();
}

template <typename Number>
void PolynomialSmoother<Number>::update()
{
  smoother->update();
  if (options.chebyshev)
    lambda = largest_eigenvalue();
}

template <typename Number>
auto PolynomialSmoother<Number>::vmult(int n, const Vector &b, Vector &x, Vector &y) const -> Vector &
{
  const auto c = coefficients(n);
  if (n >= 2 && !options.chebyshev && smoother->vmult_twice(c[0].second, b, x))
    return iterate(c, 2, b, x, y, false);
  smoother->vmult(c[0].second, b, x, false);
  return iterate(c, 1, b, x, y, false);
}

template <typename Number>
auto PolynomialSmoother<Number>::step(int n, const Vector &b, Vector &x, Vector &y) const -> Vector &
{
  return iterate(coefficients(n), 0, b, x, y, true);
}

template <typename Number>
auto PolynomialSmoother<Number>::coefficients(int n) const -> Coefficients
{
  return options.chebyshev ? chebyshev_coefficients<Number>(n, 1.1 * lambda / options.range, 1.1 * lambda) :
                             Coefficients(n, {Number(0), static_cast<Number>(options.damping)});
}

template <typename Number>
auto PolynomialSmoother<Number>::iterate(const Coefficients &c, std::size_t first, const Vector &b, Vector &x,
                                         Vector &y, bool transposed) const -> Vector &
{
  Vector *from = &x, *to = &y;
  for (std::size_t k = first; k < c.size(); ++k)
    {
      const auto [alpha, beta] = c[k];
      const Vector &d_old      = k == 1 && first == 1 ? *from : d; // after one step from zero, d is x
      if (&smoother->step(alpha, beta, b, *from, d_old, d, *to, transposed) == to)
        std::swap(from, to);
    }
  return *from;
}

// Power method for S A, at least 15 steps, then until a step adds less than 0.5%: too small a value would let the
// polynomial amplify what it should damp. For a nonsymmetric matrix it estimates the growth ‖S A‖ of the dominant
// modes.
template <typename Number>
double PolynomialSmoother<Number>::largest_eigenvalue() const
{
  const Device &device = level.device;
  const int     n      = level.A.n_rows();
  Vector        x(device, start_vector(n)), y(device, n);
  const auto    norm = [&device](const Vector &v) { return std::sqrt(device.dot(v, v)); };
  device.scale(static_cast<Number>(1. / norm(x)), x);
  double estimate = 0, last = 0;
  for (int k = 0; k < 15 || (k < 60 && estimate > 1.005 * last); ++k)
    {
      last = estimate;
      device.multiply(Number(1), level.A, x, Number(0), y);
      smoother->vmult(Number(1), y, x, false);
      estimate = norm(x);
      if (!(estimate > 0))
        return 1.;
      device.scale(static_cast<Number>(1. / estimate), x);
    }
  return estimate;
}

template <typename Number>
std::vector<std::pair<Number, Number>> chebyshev_coefficients(int n, double lower, double upper)
{
  std::vector<std::pair<Number, Number>> c(n);
  const double                           theta = 0.5 * (upper + lower), delta = 0.5 * (upper - lower);
  double                                 rho = delta / theta;
  for (int k = 0; k < n; ++k)
    if (k == 0)
      c[k] = {Number(0), static_cast<Number>(1. / theta)};
    else
      {
        const double next = 1. / (2. * theta / delta - rho);
        c[k]              = {static_cast<Number>(next * rho), static_cast<Number>(2. * next / delta)};
        rho               = next;
      }
  return c;
}

template class PolynomialSmoother<double>;
template class PolynomialSmoother<float>;
template std::vector<std::pair<double, double>> chebyshev_coefficients(int, double, double);
template std::vector<std::pair<float, float>>   chebyshev_coefficients(int, double, double);
} // namespace adamant
