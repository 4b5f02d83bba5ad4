#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// x <- x + M (b - A x): with the V-cycle as M this is multigrid as the solver (Liebchen et al., Algorithm 1), with a
/// direct solver in low precision iterative refinement. Five steps without gain are reported as stagnation.
class Richardson : public KrylovMethod
{
public:
  /// `name` begins messages.
  Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M, const char *name = "Multigrid");

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  const char    *name;
  Scalars        norms;
  Vector<double> r, z;
};
} // namespace adamant
