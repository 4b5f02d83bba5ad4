#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// Solves A x = b for nonsymmetric A by stabilised bi-conjugate gradients with right preconditioning (van der Vorst
/// 1992; Saad, Iterative Methods, Algorithm 7.7). An iteration takes two products with A and two with M. The method
/// holds seven vectors, however many iterations there are. Where a step breaks down (r̂ . r, r̂ . v or ω vanishes), the
/// method starts again from the present residual. A breakdown in the first step after a start throws SolverError,
/// unless the first half of that step has made the residual smaller.
class BiCGStab : public KrylovMethod
{
public:
  BiCGStab(const Device &device, const LinearOperator &A, const Preconditioner &M);

private:
  PendingResult start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits) override;

  struct State
  {
    double rho = 1, alpha = 1, omega = 1;
    bool   gained = false; // whether x has changed since the cycle began
  };
  bool cycle(Vector<double> &x, double norm_b, const SolverControl &control, SolverResult &result);
  bool step(State &state, bool first, Vector<double> &x);

  Scalars        norms, scalars;
  Vector<double> r, shadow, p, v, s, t, z;
  Graph          first_half, second_half;
};
} // namespace adamant
