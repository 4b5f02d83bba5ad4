#include "solvers/krylov.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

namespace adamant
{
PendingResult KrylovMethod::launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control,
                                   const std::function<void()> &follow)
{
  const std::shared_ptr<void> at_end(nullptr, [this](void *) { following = nullptr; });
  following                  = &follow;
  followed                   = false;
  const PendingResult result = launch(b, x, control);
  if (!followed)
    follow();
  return result;
}

int KrylovMethod::next_place()
{
  place                       = 1 - place;
  const PendingResult earlier = std::exchange(pending[place], PendingResult()); // no error of it is met again
  try
    {
      earlier.wait();
    }
  catch (const SolverError &)
    {}
  return place;
}

std::string to_text(double value)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

void fail(const char *solver, const SolverControl &control, int iteration, double residual, const std::string &what,
          const std::string &cause)
{
  throw SolverError(std::string(solver) + " for the " + control.name + ": " + what + " at iteration " +
                    std::to_string(iteration) + " (relative residual " + to_text(residual) + "); " + cause);
}

void check_residual(const char *solver, const SolverControl &control, int iteration, double residual)
{
  if (!std::isfinite(residual))
    fail(solver, control, iteration, residual, "NaN or infinity",
         "likely NaN in the right-hand side or the matrix, or a smoother that diverges (reduce its damping)");
  if (residual > 1e8)
    fail(solver, control, iteration, residual, "divergence",
         "likely a smoother that diverges (reduce its damping or take Chebyshev) or an indefinite matrix");
}

bool ended(const SolverControl &control, const SolverResult &result)
{
  return result.final_residual <= control.tolerance ||
         (result.iterations >= control.max_iterations && result.final_residual <= control.accepted);
}

void check_ending(const char *solver, const SolverControl &control, const KrylovState &state,
                  const char *cause_of_breakdown, const char *cause_of_stagnation)
{
  const auto &[iterations, initial, residual] = state.result;
  check_residual(solver, control, iterations, residual);
  if (state.ending == Ending::limit)
    fail_unconverged(solver, control, residual);
  if (state.ending == Ending::breakdown)
    fail(solver, control, iterations, residual, "breakdown", cause_of_breakdown);
  if (state.ending == Ending::stagnation)
    fail(solver, control, iterations, residual, "stagnation", cause_of_stagnation);
}

void fail_unconverged(const char *solver, const SolverControl &control, double residual)
{
  fail(solver, control, control.max_iterations, residual, "not converged to " + to_text(control.tolerance),
       "allow more iterations, smooth more, or take another smoother");
}
} // namespace adamant
