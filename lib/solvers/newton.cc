#include "solvers/newton.h"

#include "base/exceptions.h"

#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
[[noreturn]] void fail(const SolverControl &control, int steps, double norm, const std::string &how)
{
  std::ostringstream text;
  text << "Newton's method, " << control.name << ": " << how << " (" << steps << " steps, residual " << norm << ")";
  throw SolverError(text.str());
}
} // namespace

Newton::Newton(const Device &device, NonlinearProblem &problem, int n_unknowns)
  : device(device)
  , problem(problem)
  , r(device, n_unknowns)
  , d(device, n_unknowns)
  , x_new(device, n_unknowns)
{}

double Newton::residual(const Vector<double> &x)
{
  problem.residual(x, r);
  return std::sqrt(device.dot(r, r));
}

NewtonResult Newton::solve(Vector<double> &x, const SolverControl &control, double scale)
{
  NewtonResult result;
  double       norm       = residual(x);
  result.initial_residual = norm;
  const double wanted     = control.tolerance * (scale > 0 ? scale : norm);
  while (!(norm <= wanted))
    {
      if (!std::isfinite(norm))
        fail(control, result.steps, norm, "values that are no numbers; is a coefficient or a source undefined there?");
      if (result.steps >= control.max_iterations)
        fail(control, result.steps, norm, "the limit of steps; a smaller time step begins closer to the solution");
      problem.linearize(x);
      d.set_zero();
      result.iterations += problem.solve(r, d).iterations;
      ++result.steps;
      double s = 1., next = 0.;
      for (int halvings = 0;; ++halvings, s *= 0.5)
        {
          device.copy(x, x_new);
          device.axpby(s, d, 1., x_new);
          next = residual(x_new);
          if (next <= (1. - 1e-4 * s) * norm || next <= wanted)
            break;
          if (halvings == 10)
            fail(control, result.steps, norm,
                 "no step along its direction reduces the residual; is it at the level of rounding, or the derivative "
                 "of the equation wrong?");
        }
      std::swap(x, x_new);
      norm = next;
    }
  result.final_residual = norm;
  return result;
}
} // namespace adamant
