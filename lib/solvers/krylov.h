#pragma once

#include "base/exceptions.h"
#include "multigrid/options.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

namespace adamant
{
/// z = M v, M an approximate inverse of the matrix: what every solver here takes as its preconditioner.
template <class Backend>
using Preconditioner = std::function<void(const typename Backend::Vector &v, typename Backend::Vector &z)>;

/// A residual or tolerance as messages give it, e.g. "1e-08".
inline std::string to_text(double value)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

/// Throws SolverError with the solver, the step and the likely cause.
[[noreturn]] inline void fail(const char *solver, const SolverControl &control, int iteration, double residual,
                              const std::string &what, const std::string &cause)
{
  throw SolverError(std::string(solver) + " for the " + control.name + ": " + what + " at iteration " +
                    std::to_string(iteration) + " (relative residual " + to_text(residual) + "); " + cause);
}

/// The checks that all iterations share. The bound on growth tells divergence from a slow start.
inline void check_residual(const char *solver, const SolverControl &control, int iteration, double residual)
{
  if (!std::isfinite(residual))
    fail(solver, control, iteration, residual, "NaN or infinity",
         "likely NaN in the right-hand side or the matrix, or a smoother that diverges (reduce its damping)");
  if (residual > 1e8)
    fail(solver, control, iteration, residual, "divergence",
         "likely a smoother that diverges (reduce its damping or take Chebyshev) or an indefinite matrix");
}

[[noreturn]] inline void fail_unconverged(const char *solver, const SolverControl &control, double residual)
{
  fail(solver, control, control.max_iterations, residual, "not converged to " + to_text(control.tolerance),
       "allow more iterations, smooth more, or take another smoother");
}
} // namespace adamant
