#include "solvers/richardson.h"

namespace adamant
{
Richardson::Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M, const char *name)
  : KrylovMethod(device, A, M)
  , name(name)
  , norms(device, 2)
  , r(device, A.n_rows())
  , z(device, A.n_rows())
{}

SolverResult Richardson::solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
{
  SolverResult      result;
  StagnationCounter stagnation;
  for (;; ++result.iterations)
    {
      A.residual(x, b, r);
      device.norms(r, b, norms);
      const double *norm = norms.fetch();
      if (norm[1] == 0)
        {
          x.set_zero();
          return SolverResult();
        }
      result.final_residual = norm[0] / norm[1];
      check_residual(name, control, result.iterations, result.final_residual);
      if (result.iterations == 0)
        result.initial_residual = result.final_residual;
      if (result.final_residual <= control.tolerance)
        return result;
      if (result.iterations >= control.max_iterations)
        fail_unconverged(name, control, result.final_residual);
      if (stagnation.add(result.final_residual) == 5)
        fail(name, control, result.iterations, result.final_residual, "stagnation",
             "use it as the preconditioner of GMRES, or smooth more");
      M.vmult(r, z);
      device.axpby(1., z, 1., x);
    }
}
} // namespace adamant
