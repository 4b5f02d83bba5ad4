#pragma once

#include "multigrid/krylov.h"

namespace adamant
{
/// Preconditioned conjugate gradients for symmetric positive definite A and preconditioner (Saad, Iterative Methods,
/// Algorithm 9.1). Ends as GMRES does; a direction without positive energy is reported as an indefinite matrix.
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
    , r(backend.create_vector(A.n_rows))
    , z(backend.create_vector(A.n_rows))
    , p(backend.create_vector(A.n_rows))
    , q(backend.create_vector(A.n_rows))
  {}

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
    double rho_old = 1, best = result.initial_residual;
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
        precondition(r, z);
        const double rho = backend.dot(r, z);
        backend.axpby(1, z, static_cast<Number>(result.iterations == 0 ? 0. : rho / rho_old), p);
        backend.spmv(1, A, p, 0, q);
        const double energy = backend.dot(p, q);
        if (!(energy > 0) || !(rho > 0))
          fail("CG", control, result.iterations, result.final_residual, "breakdown",
               "the matrix or the preconditioner is not symmetric positive definite; use GMRES");
        const Number alpha = static_cast<Number>(rho / energy);
        backend.axpby(alpha, p, 1, x);
        backend.axpby(-alpha, q, 1, r);
        rho_old               = rho;
        result.final_residual = backend.norm(r) / norm_b;
      }
  }

private:
  Backend                   backend;
  const Matrix             &A;
  Preconditioner<Backend>   precondition;
  typename Backend::Scalars residual;
  Vector                    r, z, p, q;
};
} // namespace adamant
