#include "direct/lanczos.h"

#include "base/exceptions.h"

#include <cmath>
#include <random>
#include <vector>

extern "C" void dsterf_(const int *n, double *diagonal, double *beside, int *info);

namespace adamant
{
namespace
{
double dot(const Array<double> &x, const Array<double> &y)
{
  double sum = 0.;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

ExtremeEigenvalues of_tridiagonal(std::vector<double> diagonal, std::vector<double> beside)
{
  const int n    = static_cast<int>(diagonal.size());
  int       info = 0;
  dsterf_(&n, diagonal.data(), beside.data(), &info);
  if (info != 0)
    throw RunError("Lanczos: LAPACK's dsterf failed with info = " + std::to_string(info));
  return {diagonal.front(), diagonal.back()};
}
} // namespace

ExtremeEigenvalues extreme_eigenvalues(int                                                                  n,
                                       const std::function<void(const Array<double> &x, Array<double> &y)> &multiply)
{
  constexpr int                          most_steps = 5000, between = 20;
  std::mt19937                           generator(1);
  std::uniform_real_distribution<double> distribution(-1., 1.);
  Array<double>                          v(n), w(n, 0.), before(n, 0.);
  for (double &value : v)
    value = distribution(generator);
  const double norm = std::sqrt(dot(v, v));
  for (double &value : v)
    value /= norm;
  std::vector<double> diagonal, beside;
  ExtremeEigenvalues  last{0., 0.};
  for (int step = 1; step <= most_steps; ++step)
    {
      multiply(v, w);
      const double alpha = dot(v, w), beta_before = beside.empty() ? 0. : beside.back();
      for (int i = 0; i < n; ++i)
        w[i] -= alpha * v[i] + beta_before * before[i];
      const double beta = std::sqrt(dot(w, w));
      diagonal.push_back(alpha);
      const bool complete = step == n || !(beta > 1e-12 * std::abs(alpha));
      if (step % between == 0 || complete)
        {
          const auto now = of_tridiagonal(diagonal, beside);
          if (complete || (std::abs(now.smallest - last.smallest) <= 1e-6 * std::abs(now.smallest) &&
                           std::abs(now.largest - last.largest) <= 1e-6 * std::abs(now.largest)))
            return now;
          last = now;
        }
      beside.push_back(beta);
      before.swap(v);
      for (int i = 0; i < n; ++i)
        v[i] = w[i] / beta;
    }
  throw RunError("Lanczos' method has not converged after 5000 steps; is the matrix symmetric?");
}
} // namespace adamant
