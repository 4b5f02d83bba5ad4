#pragma once

#include "algebra/profiler_range.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace adamant
{
/// Preconditioned conjugate gradients for symmetric positive definite A and preconditioner (Saad, Iterative Methods,
/// Algorithm 9.1). The scalars stay with the backend; the host waits once per iteration, for the norm of the residual. Ends
/// as GMRES does; a direction without positive energy is reported as an indefinite matrix.
template <class Backend>
class CG
{
public:
  using Number = typename Backend::value_type;
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  /// `A` has to outlive the solver.
  CG(const Backend &backend, const Matrix &A, Preconditioner<Backend> precondition)
    : backend(backend)
    , A(A)
    , precondition(std::move(precondition))
    , residual(backend.create_scalars(2))
    , scalars(backend.create_scalars(4))
    , r(backend.create_vector(A.n_rows))
    , z(backend.create_vector(A.n_rows))
    , p(backend.create_vector(A.n_rows))
    , q(backend.create_vector(A.n_rows))
  {}
  CG(const CG &)            = delete; // the recorded steps hold its address
  CG &operator=(const CG &) = delete;

  SolverResult solve(const Vector &b, Vector &x, const SolverControl &control)
  {
    backend.residual_norms(A, x, b, r, residual);
    const double *norms  = backend.fetch(residual, 2);
    const double  norm_r = norms[0], norm_b = norms[1];
    SolverResult  result;
    if (norm_b == 0)
      {
        backend.set_zero(x);
        return result;
      }
    result.initial_residual = result.final_residual = norm_r / norm_b;
    double best                                     = result.initial_residual;
    for (int since_best = 0;; ++result.iterations)
      {
        check_residual("CG", control, result.iterations, result.final_residual);
        if (result.final_residual <= control.tolerance)
          return result;
        if (result.iterations >= control.max_iterations)
          fail_unconverged("CG", control, result.final_residual);
        since_best = result.final_residual < 0.99 * best ? 0 : since_best + 1;
        best       = std::min(best, result.final_residual);
        if (since_best > 50)
          fail("CG", control, result.iterations, result.final_residual, "stagnation",
               "the tolerance may be below what rounding allows, or the matrix is not symmetric");
        const int even_odd = result.iterations % 2;
        find_direction(result.iterations == 0, even_odd);
        backend.step_along(p, q, even_odd, energy, x, r, scalars, square);
        const double *s = backend.fetch(scalars, 4);
        if (s[energy] <= 0 || s[even_odd] <= 0) // NaN is left to the check of the residual
          fail("CG", control, result.iterations, result.final_residual, "breakdown",
               "the matrix or the preconditioner is not symmetric positive definite; use GMRES");
        result.final_residual = std::sqrt(s[square]) / norm_b;
      }
  }

private:
  // Places of the scalars: r . z of even and odd iterations, p . A p, r . r.
  static constexpr int energy = 2, square = 3;

  // z = M r, p = z + (rho / rho_old) p, q = A p; recorded for the first, odd and further even iterations.
  void find_direction(bool first, int even_odd)
  {
    const ProfilerRange range("CG iteration");
    auto               &step = first ? first_step : further_steps[even_odd];
    if (!step)
      step = backend.record([this, first, even_odd] {
        precondition(r, z);
        backend.dot(r, z, scalars, even_odd);
        if (first)
          backend.copy(z, p);
        else
          backend.xpay(z, scalars, even_odd, 1 - even_odd, p);
        backend.spmv(1, A, p, 0, q);
        backend.dot(p, q, scalars, energy);
      });
    backend.replay(*step);
  }

  Backend                                backend;
  const Matrix                          &A;
  Preconditioner<Backend>                precondition;
  typename Backend::Scalars              residual, scalars;
  Vector                                 r, z, p, q;
  std::optional<typename Backend::Graph> first_step, further_steps[2];
};
} // namespace adamant
