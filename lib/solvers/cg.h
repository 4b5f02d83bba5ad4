#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// Preconditioned conjugate gradients for symmetric positive definite A and M (Saad, Iterative Methods,
/// Algorithm 9.1). The scalars stay on the device; the host waits once per iteration, for the norm of the residual. A
/// direction without positive energy is reported as an indefinite matrix.
class CG : public KrylovMethod
{
public:
  CG(const Device &device, const LinearOperator &A, const Preconditioner &M);

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  void find_direction(bool first, int even_odd);

  Scalars        norms, scalars;
  Vector<double> r, z, p, q;
  Graph          first_step, further_steps[2];
};
} // namespace adamant
