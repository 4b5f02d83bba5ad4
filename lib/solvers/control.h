#pragma once

#include <string>

namespace adamant
{
/// When an iteration ends: where ‖b - A x‖₂ <= tolerance ‖b‖₂, or after max_iterations steps.
struct SolverControl
{
  double      tolerance      = 1e-8;
  int         max_iterations = 200;
  std::string name           = "linear system"; ///< of the system, for messages
  /// After max_iterations steps a relative residual up to `accepted` is no failure, as inexact Newton methods can do
  /// with it. Only GMRES and BiCGStab take it into account.
  double accepted = 0.;
};

/// How an iteration ended. Residuals are relative to ‖b‖₂; where b = 0, the solution is x = 0 and they are 0.
struct SolverResult
{
  int    iterations       = 0;
  double initial_residual = 0;
  double final_residual   = 0;
};
} // namespace adamant
