#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// A Krylov method as the preconditioner of another one: z solves A z = v from zero, to the tolerance of `control`. The
/// outer method has to be flexible (GMRES here). It waits for its own residuals, so that it runs between graphs.
class InnerSolver : public Preconditioner
{
public:
  /// `method` and `preconditioner`, its own, have to outlive the object.
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
