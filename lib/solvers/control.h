#pragma once

#include <string>

namespace adamant
{
/// When an iteration ends: at ‖b - A x‖₂ <= tolerance ‖b‖₂, or after max_iterations.
struct SolverControl
{
  double      tolerance      = 1e-8;
  int         max_iterations = 200;
  std::string name           = "linear system"; ///< for messages
  /// After max_iterations a residual up to this is no failure: inexact Newton methods can do with it. GMRES and
  /// BiCGStab know it.
  double accepted = 0.;
};

/// How an iteration ended. Residuals are relative to ‖b‖₂ (absolute where b = 0).
struct SolverResult
{
  int    iterations       = 0;
  double initial_residual = 0;
  double final_residual   = 0;
};
} // namespace adamant
