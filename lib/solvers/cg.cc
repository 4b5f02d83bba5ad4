#include "solvers/cg.h"

#include "algebra/profiler_range.h"

#include <cmath>

namespace adamant
{
namespace
{
// Places of the scalars: r . z of even and odd iterations, p . A p, r . r.
constexpr int energy = 2, square = 3;
} // namespace

CG::CG(const Device &device, const LinearOperator &A, const Preconditioner &M)
  : KrylovMethod(device, A, M)
  , norms(device, 2)
  , scalars(device, 4)
  , r(device, A.n_rows())
  , z(device, A.n_rows())
  , p(device, A.n_rows())
  , q(device, A.n_rows())
{}

SolverResult CG::solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
{
  A.residual(x, b, r);
  device.norms(r, b, norms);
  const double *first  = norms.fetch();
  const double  norm_r = first[0], norm_b = first[1];
  SolverResult  result;
  if (norm_b == 0)
    {
      x.set_zero();
      return result;
    }
  result.initial_residual = result.final_residual = norm_r / norm_b;
  StagnationCounter stagnation(result.initial_residual);
  for (;; ++result.iterations)
    {
      check_residual("CG", control, result.iterations, result.final_residual);
      if (result.final_residual <= control.tolerance)
        return result;
      if (result.iterations >= control.max_iterations)
        fail_unconverged("CG", control, result.final_residual);
      if (stagnation.add(result.final_residual) > 50)
        fail("CG", control, result.iterations, result.final_residual, "stagnation",
             "the tolerance may be below what rounding allows, or the matrix is not symmetric");
      const int even_odd = result.iterations % 2;
      find_direction(result.iterations == 0, even_odd);
      device.step_along(p, q, even_odd, energy, x, r, scalars, square);
      const double *s = scalars.fetch();
      if (s[energy] <= 0 || s[even_odd] <= 0) // NaN is left to the check of the residual
        fail("CG", control, result.iterations, result.final_residual, "breakdown",
             "the matrix or the preconditioner is not symmetric positive definite; use GMRES");
      result.final_residual = std::sqrt(s[square]) / norm_b;
    }
}

// z = M r, p = z + (rho / rho_old) p, q = A p; recorded for the first, odd and further even iterations.
void CG::find_direction(bool first, int even_odd)
{
  const ProfilerRange range("CG iteration");
  run_recorded(first ? first_step : further_steps[even_odd], [this, first, even_odd] {
    M.vmult(r, z);
    device.dot(r, z, scalars, even_odd);
    if (first)
      device.copy(z, p);
    else
      device.add_to_scaled(z, scalars, even_odd, 1 - even_odd, p);
    A.multiply(1., p, 0., q);
    device.dot(p, q, scalars, energy);
  });
}
} // namespace adamant
