#pragma once

#include "solvers/cg_functors.h"
#include "solvers/krylov.h"

namespace adamant
{
/// Preconditioned conjugate gradients for symmetric positive definite A and M (Saad, Iterative Methods,
/// Algorithm 9.1) with both inner products of an iteration taken together and A p by recursion (Chronopoulos and Gear
/// 1989): two passes over vectors besides M and A. The iteration is a Loop: on a GPU the host waits at its end at most.
/// Where rounding may have falsified the recursion's residual at the end, b - A x is computed and the iteration goes on
/// from there; stagnation is such a cycle that has gained less than 10%. A direction without positive energy is
/// reported as an indefinite matrix.
class CG : public KrylovMethod
{
public:
  CG(const Device &device, const LinearOperator &A, const Preconditioner &M);

  using KrylovMethod::launch;
  using KrylovMethod::solve;
  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override
  {
    return launch(b, x, control).wait();
  }
  PendingResult launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;
  void          update() override { measured = false; }

private:
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
  Vector<float>   r_in_float;       // instead of z, where M takes it
  bool            measured = false; // whether the size of A is known
  Loop            loop;
};
} // namespace adamant
