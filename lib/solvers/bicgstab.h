#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// Stabilised bi-conjugate gradients with right preconditioning (van der Vorst 1992; Saad, Iterative Methods, Algorithm
/// 7.7) for nonsymmetric A: two products and two preconditioners an iteration, and seven vectors whatever the number of
/// iterations. Where a step breaks down (r̂ . r or ω vanish) it starts again from the present residual, once; a second
/// breakdown in a row is reported.
class BiCGStab : public KrylovMethod
{
public:
  BiCGStab(const Device &device, const LinearOperator &A, const Preconditioner &M);

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  struct State
  {
    double rho = 1, alpha = 1, omega = 1;
  };
  bool cycle(Vector<double> &x, double norm_b, const SolverControl &control, SolverResult &result);
  bool step(State &state, bool first, Vector<double> &x);

  Scalars        norms, scalars;
  Vector<double> r, shadow, p, v, s, t, z;
  Graph          first_half, second_half;
};
} // namespace adamant
