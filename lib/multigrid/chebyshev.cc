#include "multigrid/chebyshev.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace adamant
{
template <typename Number>
auto LevelSmoother<Number>::smooth(int n, const Vector &b, Vector &x, Vector &y, Vector &r) const -> Vector &
{
  Vector &result = vmult(n, b, x, y);
  level.device.residual(level.A, result, b, r);
  return result;
}

template <typename Number>
void LevelSmoother<Number>::prolongate(int, const Vector &, const Matrix<Number> &P, const Vector &e, Vector &x) const
{
  level.device.multiply(Number(1), P, e, Number(1), x);
}

template <typename Number>
PolynomialSmoother<Number>::PolynomialSmoother(const DeviceLevel<Number> &level, const SmootherOptions &options)
  : LevelSmoother<Number>(level)
  , options(options)
  , smoother(make_smoother(options.type, level))
{
  if (options.chebyshev)
    d = Vector(level.device, level.n_rows());
  if (options.chebyshev || options.type == "jacobi" || options.type == "block_jacobi")
    lambda = options.largest > 0. ? options.largest : largest_eigenvalue();
}

template <typename Number>
void PolynomialSmoother<Number>::update()
{
  smoother->update();
  if (lambda == 0. || options.largest > 0.)
    return;
  if (level.changes_on_device())
    follow_eigenvalue();
  else
    lambda = largest_eigenvalue();
}

template <typename Number>
auto PolynomialSmoother<Number>::vmult(int n, const Vector &b, Vector &x, Vector &y) const -> Vector &
{
  const auto c     = coefficients(n);
  const bool twice = n >= 2 && !options.chebyshev && smoother->first_step();
  if (twice)
    smoother->first_step()->vmult_twice(c[0].second, b, x);
  else
    smoother->vmult(c[0].second, b, x, false);
  return iterate(c, twice ? 2 : 1, b, x, y, false);
}

template <typename Number>
auto PolynomialSmoother<Number>::smooth(int n, const Vector &b, Vector &x, Vector &y, Vector &r) const -> Vector &
{
  const FirstStep<Number> *first = n == 1 ? smoother->first_step() : nullptr;
  if (!first)
    return LevelSmoother<Number>::smooth(n, b, x, y, r);
  first->residual(coefficients(1)[0].second, b, r);
  return x;
}

template <typename Number>
void PolynomialSmoother<Number>::prolongate(int n, const Vector &b, const Matrix<Number> &P, const Vector &e,
                                            Vector &x) const
{
  if (const FirstStep<Number> *first = n == 1 ? smoother->first_step() : nullptr)
    first->correct(coefficients(1)[0].second, b, P, e, x);
  else
    LevelSmoother<Number>::prolongate(n, b, P, e, x);
}

template <typename Number>
auto PolynomialSmoother<Number>::step(int n, const Vector &b, Vector &x, Vector &y) const -> Vector &
{
  return iterate(coefficients(n), 0, b, x, y, true);
}

template <typename Number>
auto PolynomialSmoother<Number>::coefficients(int n) const -> Coefficients
{
  if (options.chebyshev)
    return chebyshev_coefficients<Number>(n, 1.1 * lambda / options.range, 1.1 * lambda);
  const double omega = lambda > 0. ? std::min(options.damping, 1.9 / lambda) : options.damping;
  return Coefficients(n, {Number(0), static_cast<Number>(omega)});
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

// ‖S A x‖ after n steps x <- S A x / ‖S A x‖.
template <typename Number>
double PolynomialSmoother<Number>::grow(Vector &x, Vector &y, int n) const
{
  double estimate = 0;
  for (int k = 0; k < n; ++k)
    {
      level.device.multiply(Number(1), level.A, x, Number(0), y);
      smoother->vmult(Number(1), y, x, false);
      estimate = std::sqrt(level.device.dot(x, x));
      if (!(estimate > 0))
        return estimate;
      level.device.scale(static_cast<Number>(1. / estimate), x);
    }
  return estimate;
}

// The power method for S A runs until a step adds less than 1.125 / n², which is 0.5% for n = 15 steps at least. With
// too small a value the polynomial would amplify modes that it should damp. For a nonsymmetric matrix the method
// estimates the growth ‖S A‖ of the dominant modes.
template <typename Number>
double PolynomialSmoother<Number>::largest_eigenvalue()
{
  const int  n           = level.A.n_rows();
  const bool is_followed = level.changes_on_device();
  Vector     x(level.device, n), y(level.device, n);
  if (is_followed && lambda > 0.) // not the first call
    level.device.copy(start, x);
  else
    {
      x = Vector(level.device, start_vector(n));
      level.device.scale(static_cast<Number>(1. / std::sqrt(level.device.dot(x, x))), x);
      if (is_followed)
        level.device.copy(x, start = Vector(level.device, n));
      if (is_followed && !options.chebyshev)
        scratch = Vector(level.device, n);
    }
  const int least    = options.power_steps;
  double    estimate = grow(x, y, least), last = 0;
  for (int k = least; k < 60 && estimate > (1. + 1.125 / (least * least)) * last; ++k)
    {
      last     = estimate;
      estimate = grow(x, y, 1);
    }
  if (is_followed)
    dominant = std::move(x);
  return estimate > 0 ? estimate : 1.;
}

// Three steps after a change of values, from the last vector and a tenth of the first. They find a mode that has grown
// elsewhere; one that lives at few nodes is found some updates later. Recorded graphs hold the steps' coefficients:
// lambda stays between the new estimate and 1.1 times that. Far from both, the power method runs whole.
template <typename Number>
void PolynomialSmoother<Number>::follow_eigenvalue()
{
  const bool anew = std::exchange(begun, *options.beginning) != *options.beginning;
  if (anew)
    level.device.copy(start, dominant);
  level.device.axpby(Number(0.1), start, Number(1), dominant);
  const double estimate = grow(dominant, options.chebyshev ? d : scratch, 3);
  if (!std::isfinite(estimate))
    {
      level.device.copy(start, dominant); // for values to come
      throw RunError(
        "a matrix has values that are no numbers or too large, or a diagonal entry zero; is a coefficient so?");
    }
  if (!anew && estimate <= lambda && lambda <= 1.1 * estimate)
    return;
  const auto before = coefficients(1);
  const bool near   = !anew && estimate > lambda && estimate < 1.1 * lambda;
  lambda            = 1.02 * (near ? estimate : std::max(estimate, largest_eigenvalue()));
  if (coefficients(1) != before) // damped steps have others only where lambda limits them
    level.device.outdate_graphs();
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

MixedSmoother::MixedSmoother(const DeviceLevel<double> &level, const SmootherOptions &options)
  : LevelSmoother<double>(level)
  , in_float(level.device, level)
  , smoother(in_float, options)
{
  for (auto *vector : {&b, &x, &y})
    *vector = adamant::Vector<float>(level.device, level.n_rows());
}

void MixedSmoother::update()
{
  in_float.update();
  smoother.update();
}

void MixedSmoother::correction(int n, const Vector &r, Vector &result) const
{
  level.device.copy(r, b);
  level.device.copy(smoother.vmult(n, b, x, y), result);
}

auto MixedSmoother::vmult(int n, const Vector &b, Vector &x, Vector &) const -> Vector &
{
  correction(n, b, x);
  return x;
}

auto MixedSmoother::step(int n, const Vector &b, Vector &x, Vector &y) const -> Vector &
{
  if (n == 0)
    return x;
  level.device.residual(level.A, x, b, y);
  correction(n, y, y);
  level.device.axpby(1., y, 1., x);
  return x;
}

template class LevelSmoother<double>;
template class LevelSmoother<float>;
template class PolynomialSmoother<double>;
template class PolynomialSmoother<float>;
template std::vector<std::pair<double, double>> chebyshev_coefficients(int, double, double);
template std::vector<std::pair<float, float>>   chebyshev_coefficients(int, double, double);
} // namespace adamant
