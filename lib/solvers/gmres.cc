#include "solvers/gmres.h"

#include "algebra/profiler_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adamant
{
GMRES::GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart)
  : KrylovMethod(device, A, M)
  , restart(restart)
  , norms(device, 2)
  , r(device, A.n_rows())
  , H(restart * (restart + 1))
  , cosine(restart)
  , sine(restart)
  , g(restart + 1)
{
  basis.reserve(restart + 1);
  directions.reserve(restart);
  basis.emplace_back(device, A.n_rows());
}

SolverResult GMRES::solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
{
  SolverResult result;
  double       beta = 0, cycle_start = 0;
  for (bool first = true;; first = false)
    {
      A.residual(x, b, r);
      device.norms(r, b, norms);
      const double *norm   = norms.fetch();
      const double  norm_b = norm[1];
      beta                 = norm[0];
      if (norm_b == 0)
        {
          x.set_zero();
          return result;
        }
      const double relative = beta / norm_b;
      check_residual("GMRES", control, result.iterations, relative);
      result.final_residual = relative;
      if (first)
        result.initial_residual = relative;
      if (ended(control, result))
        return result;
      if (result.iterations >= control.max_iterations)
        fail_unconverged("GMRES", control, relative);
      if (!first && relative > 0.99 * cycle_start)
        fail("GMRES", control, result.iterations, relative, "stagnation",
             "the tolerance may be below what rounding allows, or the preconditioner does not suit the matrix");
      cycle_start = relative;
      // The recursive residual is the true one but for rounding; it is computed again where that may be too large, as
      // with a nearly singular matrix, and where the target is not reached.
      const double rounding = cycle(x, beta, norm_b, control, result);
      if (result.final_residual <= control.tolerance && rounding <= 0.1 * control.tolerance)
        return result;
    }
}

// One cycle of at most `restart` iterations; updates x and the result. Returns the relative rounding error to expect.
double GMRES::cycle(Vector<double> &x, double beta, double norm_b, const SolverControl &control, SolverResult &result)
{
  device.axpby(1. / beta, r, 0., basis[0]);
  g[0]  = beta;
  int k = 0;
  while (k < restart && result.iterations < control.max_iterations)
    {
      arnoldi_step(k);
      ++result.iterations;
      const double negligible = 1e-14 * column_norm(k);
      const bool   breakdown  = !(h(k + 1, k) > negligible);
      if (breakdown)
        h(k + 1, k) = 0;
      rotate(k, negligible);
      ++k;
      result.final_residual = std::abs(g[k]) / norm_b;
      check_residual("GMRES", control, result.iterations, result.final_residual);
      if (breakdown && result.final_residual > control.tolerance)
        fail("GMRES", control, result.iterations, result.final_residual, "breakdown",
             "the matrix or the preconditioner is singular");
      if (result.final_residual <= control.tolerance)
        break;
    }
  const std::vector<double> y = solve_triangular(k);
  device.combine(directions, k, y.data(), x);
  double sum = 0, norm = 0; // of |y|, and of the longest A z_i
  for (int i = 0; i < k; ++i)
    {
      sum += std::abs(y[i]);
      norm = std::max(norm, column_norm(i));
    }
  return std::numeric_limits<double>::epsilon() * norm * sum / norm_b;
}

// z_k = M v_k, w = A z_k, v_{k+1} = w orthonormalised: recorded once for each k.
void GMRES::arnoldi_step(int k)
{
  const ProfilerRange range("GMRES iteration");
  if (static_cast<int>(steps.size()) == k)
    {
      directions.emplace_back(device, A.n_rows());
      basis.emplace_back(device, A.n_rows());
      columns.emplace_back(device, k + 2);
      steps.emplace_back();
    }
  run_recorded(steps[k], [this, k] {
    M.vmult(basis[k], directions[k]);
    A.multiply(1., directions[k], 0., basis[k + 1]);
    device.orthonormalize(basis, k + 1, basis[k + 1], columns[k]);
  });
  const double *column = columns[k].fetch();
  for (int i = 0; i < k + 2; ++i)
    h(i, k) = column[i];
}

double GMRES::column_norm(int k)
{
  double sum = 0;
  for (int i = 0; i < k + 2; ++i)
    sum += h(i, k) * h(i, k);
  return std::sqrt(sum);
}

// Applies the old rotations to column k and a new one that clears its subdiagonal entry. A column of which nothing is
// left is that of a direction without effect: the residual stays.
void GMRES::rotate(int k, double negligible)
{
  for (int i = 0; i < k; ++i)
    {
      const double upper = h(i, k), lower = h(i + 1, k);
      h(i, k)     = cosine[i] * upper + sine[i] * lower;
      h(i + 1, k) = -sine[i] * upper + cosine[i] * lower;
    }
  const double hypotenuse = std::hypot(h(k, k), h(k + 1, k)), length = hypotenuse <= negligible ? 0. : hypotenuse;
  cosine[k]   = length > 0 ? h(k, k) / length : 0.;
  sine[k]     = length > 0 ? h(k + 1, k) / length : 1.;
  h(k, k)     = length;
  h(k + 1, k) = 0;
  g[k + 1]    = -sine[k] * g[k];
  g[k] *= cosine[k];
}

std::vector<double> GMRES::solve_triangular(int k)
{
  std::vector<double> y(g.begin(), g.begin() + k);
  for (int i = k - 1; i >= 0; --i)
    {
      for (int j = i + 1; j < k; ++j)
        y[i] -= h(i, j) * y[j];
      y[i] = h(i, i) != 0 ? y[i] / h(i, i) : 0.; // a zero pivot belongs to a direction without effect
    }
  return y;
}
} // namespace adamant
