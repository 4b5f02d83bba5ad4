#pragma once

#include "solvers/cg_functors.h"
#include "solvers/krylov.h"

namespace adamant
{
/// Solves A x = b by preconditioned conjugate gradients, for symmetric positive definite A and M (Saad, Iterative
/// Methods, Algorithm 9.1). An iteration takes both inner products together and finds A p by recursion (Chronopoulos
/// and Gear 1989). Besides M and A it makes two passes over vectors. The iteration is a Loop: on a GPU the host waits
/// at most for its end. Where rounding may have falsified the recursion's residual at the end, the method computes b -
/// A x and begins another cycle from there. A cycle that reduces this residual by less than 10% is reported as
/// stagnation. Where r . z <= 0 or p . A p <= 0, the method reports that A or M is not symmetric positive definite.
class CG : public KrylovMethod
{
public:
  CG(const Device &device, const LinearOperator &A, const Preconditioner &M);

  void update() override { measured = false; }

private:
  PendingResult start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits) override;

  void         begin();
  void         measure();
  void         start_from_residual(const Vector<double> &b);
  void         restart();
  bool         finish(const LoopAnswer &answer);
  CGControl    judgement() const;
  bool         iterate(const LoopAnswer &answer);
  SolverResult ended(const SolverControl &control, const CGState &end) const;
  template <typename Number>
  bool step(const Number *z, Number *rounded, const LoopAnswer &answer);

  Scalars         squares, scalars;
  Shared<CGState> state;
  Vector<double>  r, z, w, p, s, correction;
  Vector<float>   r_in_float;       // instead of z, where M takes vectors in float
  bool            measured = false; // whether the size of A is known
  Loop            loop;
};
} // namespace adamant
