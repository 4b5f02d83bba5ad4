#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// A Krylov method as the preconditioner of another one: `vmult` solves A z = v from z = 0, to the tolerance of
/// `control`. The outer method has to be flexible, such as GMRES. The inner method waits for its own residuals and so
/// cannot be recorded in a graph.
class InnerSolver : public Preconditioner
{
public:
  /// `method` and its preconditioner `preconditioner` have to outlive the object.
  InnerSolver(KrylovMethod &method, Preconditioner &preconditioner, const SolverControl &control)
    : method(method)
    , preconditioner(preconditioner)
    , control(control)
  {}

  void vmult(const Vector<double> &v, Vector<double> &z) const override
  {
    z.set_zero();
    method.solve(v, z, control);
  }
  void update() override
  {
    preconditioner.update();
    method.update();
  }

private:
  KrylovMethod   &method;
  Preconditioner &preconditioner;
  SolverControl   control;
};
} // namespace adamant
