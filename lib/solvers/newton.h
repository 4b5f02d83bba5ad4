#pragma once

#include "algebra/vector.h"
#include "solvers/control.h"

namespace adamant
{
/// F(x) = 0 as Newton needs it, all vectors on one device.
class NonlinearProblem
{
public:
  virtual ~NonlinearProblem() = default;

  virtual void residual(const Vector<double> &x, Vector<double> &r) = 0; ///< r = -F(x)
  /// Prepares J = F'(x), or what takes its place (Picard: a linear operator that agrees with F near x), for `solve`.
  virtual void         linearize(const Vector<double> &x)                = 0;
  virtual SolverResult solve(const Vector<double> &r, Vector<double> &d) = 0; ///< J d = r, from the guess d = 0
};

struct NewtonResult
{
  int    steps            = 0; ///< linear systems solved
  int    iterations       = 0; ///< of the linear solver in all
  double initial_residual = 0; ///< ‖F‖₂ at the first and the last iterate
  double final_residual   = 0;
};

/// Newton's method with backtracking: x <- x + s d, J d = -F(x), s the first of 1, 1/2, 1/4, ... for which
/// ‖F(x + s d)‖ <= (1 - s / 10⁴) ‖F(x)‖ (Dennis & Schnabel, Section 6.3.2).
class Newton
{
public:
  Newton(const Device &device, NonlinearProblem &problem, int n_unknowns);

  /// From the guess x, until ‖F(x)‖ <= control.tolerance times `scale`; a scale of 0 stands for ‖F‖ at the guess. Throws
  /// SolverError where max_iterations steps or ten halvings do not suffice, or values are no numbers.
  NewtonResult solve(Vector<double> &x, const SolverControl &control, double scale = 0.);

private:
  double residual(const Vector<double> &x);

  Device            device;
  NonlinearProblem &problem;
  Vector<double>    r, d, x_new;
};
} // namespace adamant
