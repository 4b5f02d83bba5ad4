#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// x <- x + M (b - A x): with the V-cycle as M this is multigrid as the solver (Liebchen et al., Algorithm 1). Ends as
/// GMRES does; five steps without gain are reported as stagnation.
template <class Backend>
class Richardson
{
public:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  /// `A` has to outlive the solver.
  Richardson(const Backend &backend, const Matrix &A, Preconditioner<Backend> precondition)
    : backend(backend)
    , A(A)
    , precondition(std::move(precondition))
    , residual(backend.create_scalars(2))
    , r(backend.create_vector(A.n_rows))
    , z(backend.create_vector(A.n_rows))
  {}

  SolverResult solve(const Vector &b, Vector &x, const SolverControl &control)
  {
    SolverResult result;
    double       best = 0;
    for (int since_best = 0;; ++result.iterations)
      {
        backend.residual_norms(A, x, b, r, residual);
        const double *norms = backend.fetch(residual, 2);
        if (norms[1] == 0)
          {
            backend.set_zero(x);
            return SolverResult();
          }
        result.final_residual = norms[0] / norms[1];
        check_residual("Multigrid", control, result.iterations, result.final_residual);
        if (result.iterations == 0)
          best = result.initial_residual = result.final_residual;
        if (result.final_residual <= control.tolerance)
          return result;
        if (result.iterations >= control.max_iterations)
          fail_unconverged("Multigrid", control, result.final_residual);
        since_best = result.iterations == 0 || result.final_residual < 0.99 * best ? 0 : since_best + 1;
        best       = std::min(best, result.final_residual);
        if (since_best == 5)
          fail("Multigrid", control, result.iterations, result.final_residual, "stagnation",
               "use it as the preconditioner of GMRES, or smooth more");
        precondition(r, z);
        backend.axpby(1, z, 1, x);
      }
  }

private:
  Backend                   backend;
  const Matrix             &A;
  Preconditioner<Backend>   precondition;
  typename Backend::Scalars residual;
  Vector                    r, z;
};
} // namespace adamant
