#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// x <- x + M (b - A x): with the V-cycle as M this is multigrid as the solver (Liebchen et al., Algorithm 1). Five
/// steps without gain are reported as stagnation.
class Richardson : public KrylovMethod
{
public:
  Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M);

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  Scalars        norms;
  Vector<double> r, z;
};
} // namespace adamant
