#pragma once

#include "algebra/profiler_range.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace adamant
{
/// Flexible GMRES with restart and right preconditioning (Liebchen et al., Section 4.1.5; Saad, Iterative Methods,
/// Algorithm 9.6), orthogonalised by classical Gram-Schmidt done twice; the small least-squares problem is
/// solved on the host by Givens rotations. The host waits once per iteration, for one column of the Hessenberg matrix.
///
/// How a solve ends: at the tolerance; at once where the guess is good enough; with x = 0 where b = 0; with SolverError
/// at NaN, divergence, a breakdown that leaves a residual (singular matrix or preconditioner), stagnation (a whole
/// restart cycle gains less than 1%), or max_iterations.
template <class Backend>
class GMRES
{
public:
  using Number = typename Backend::value_type;
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  /// `A` has to outlive the solver; `restart` is the largest dimension of the Krylov space.
  GMRES(const Backend &backend, const Matrix &A, Preconditioner<Backend> precondition, int restart = 30)
    : backend(backend)
    , A(A)
    , precondition(std::move(precondition))
    , restart(restart)
    , residual(backend.create_scalars(2))
    , r(backend.create_vector(A.n_rows))
    , H(restart * (restart + 1))
    , cosine(restart)
    , sine(restart)
    , g(restart + 1)
  {
    basis.reserve(restart + 1);
    directions.reserve(restart);
    basis.push_back(backend.create_vector(A.n_rows));
  }
  GMRES(const GMRES &)            = delete; // the recorded steps hold its address
  GMRES &operator=(const GMRES &) = delete;

  /// Solves A x = b from the guess x. Residuals in the result are relative to ‖b‖₂.
  SolverResult solve(const Vector &b, Vector &x, const SolverControl &control)
  {
    SolverResult result;
    double       beta = 0, cycle_start = 0;
    for (bool first = true;; first = false)
      {
        backend.residual_norms(A, x, b, r, residual);
        const double *norms  = backend.fetch(residual, 2);
        const double  norm_b = norms[1];
        beta                 = norms[0];
        if (norm_b == 0)
          {
            backend.set_zero(x);
            return result;
          }
        const double relative = beta / norm_b;
        check_residual("GMRES", control, result.iterations, relative);
        result.final_residual = relative;
        if (first)
          result.initial_residual = relative;
        if (relative <= control.tolerance)
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

private:
  double &h(int i, int k) { return H[k * (restart + 1) + i]; }

  // One cycle of at most `restart` iterations; updates x and the result. Returns the relative rounding error to expect.
  double cycle(Vector &x, double beta, double norm_b, const SolverControl &control, SolverResult &result)
  {
    backend.axpby(static_cast<Number>(1. / beta), r, 0, basis[0]);
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
    backend.multi_axpy(directions, k, y.data(), x);
    double sum = 0, norm = 0; // of |y|, and of the longest A z_i
    for (int i = 0; i < k; ++i)
      {
        sum += std::abs(y[i]);
        norm = std::max(norm, column_norm(i));
      }
    return std::numeric_limits<double>::epsilon() * norm * sum / norm_b;
  }

  // z_k = M v_k, w = A z_k, v_{k+1} = w orthonormalised: recorded once for each k.
  void arnoldi_step(int k)
  {
    const ProfilerRange range("GMRES iteration");
    if (static_cast<int>(steps.size()) == k)
      {
        directions.push_back(backend.create_vector(A.n_rows));
        basis.push_back(backend.create_vector(A.n_rows));
        columns.push_back(backend.create_scalars(k + 2));
        steps.push_back(backend.record([this, k] {
          precondition(basis[k], directions[k]);
          backend.spmv(1, A, directions[k], 0, basis[k + 1]);
          backend.orthonormalize(basis, k + 1, basis[k + 1], columns[k]);
        }));
      }
    backend.replay(steps[k]);
    const double *column = backend.fetch(columns[k], k + 2);
    for (int i = 0; i < k + 2; ++i)
      h(i, k) = column[i];
  }

  double column_norm(int k)
  {
    double sum = 0;
    for (int i = 0; i < k + 2; ++i)
      sum += h(i, k) * h(i, k);
    return std::sqrt(sum);
  }

  // Applies the old rotations to column k and a new one that clears its subdiagonal entry. A column of which nothing is
  // left is that of a direction without effect: the residual stays.
  void rotate(int k, double negligible)
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

  std::vector<double> solve_triangular(int k)
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

  Backend                                backend;
  const Matrix                          &A;
  Preconditioner<Backend>                precondition;
  int                                    restart;
  std::vector<Vector>                    basis, directions; // v_k, z_k
  std::vector<typename Backend::Scalars> columns;           // of the Hessenberg matrix, where the backend puts them
  std::vector<typename Backend::Graph>   steps;
  typename Backend::Scalars              residual;
  Vector                                 r;
  std::vector<double>                    H, cosine, sine, g;
};
} // namespace adamant
