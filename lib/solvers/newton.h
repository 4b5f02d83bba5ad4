#pragma once

#include "algebra/vector.h"
#include "solvers/control.h"

#include <vector>

namespace adamant
{
/// What a step takes in place of F near x.
enum class Linearization
{
  newton, ///< F'(x)
  picard  ///< a linear operator that agrees with F near x: slower, from further away
};

/// F(x) = 0 as Newton needs it, all vectors on one device.
class NonlinearProblem
{
public:
  virtual ~NonlinearProblem() = default;

  virtual void residual(const Vector<double> &x, Vector<double> &r) = 0; ///< r = -F(x)
  /// Prepares J = F'(x), or what takes its place, for `solve`. Problems that know one kind give that.
  virtual void linearize(const Vector<double> &x, Linearization kind) = 0;
  /// J d = r, from the guess d = 0, to ‖r - J d‖ <= tolerance ‖r‖; a tolerance of 0 stands for the problem's own.
  virtual SolverResult solve(const Vector<double> &r, Vector<double> &d, double tolerance) = 0;
};

struct NewtonOptions
{
  /// Picard's steps, undamped, until ‖F‖ is below this times the first one; 0: none.
  double picard_until = 0.;
  int    max_halvings = 10;
  /// Where no step of Newton's reduces ‖F‖: so many times three steps of Picard's, and on.
  int rescues = 0;
  /// The tolerance of step k's linear system: 0.9 (‖F_k‖ / ‖F_{k-1}‖)² between these two, first the larger one
  /// (Eisenstat & Walker 1996, choice 2), and no smaller than what is wanted asks for; 0: the problem's own.
  double least_tolerance = 0., most_tolerance = 0.;
};

struct NewtonResult
{
  int    steps            = 0; ///< linear systems solved
  int    iterations       = 0; ///< of the linear solver in all
  double initial_residual = 0; ///< ‖F‖₂ at the first and the last iterate
  double final_residual   = 0;

  struct Step
  {
    Linearization kind;
    double        tolerance;  ///< of the linear system
    int           iterations; ///< of its solver
    double        length;     ///< of the step: s
    double        residual;   ///< ‖F‖₂ after it
  };
  std::vector<Step> history;
};

/// Newton's method with backtracking: x <- x + s d, J d = -F(x), s the first of 1, 1/2, 1/4, ... for which
/// ‖F(x + s d)‖ <= (1 - s / 10⁴) ‖F(x)‖ (Dennis & Schnabel, Section 6.3.2); with Picard's steps where the options say.
class Newton
{
public:
  Newton(const Device &device, NonlinearProblem &problem, int n_unknowns, const NewtonOptions &options = {});

  /// From the guess x, until ‖F(x)‖ <= control.tolerance times `scale`; a scale of 0 stands for ‖F‖ at the guess. Where
  /// steps fail before that, or the last one allowed has gained nothing, and rounding x alone changes F as much, it has
  /// converged, too: the guess was a solution.
  /// Throws SolverError where max_iterations steps or the halvings do not suffice, Picard's steps stagnate, or values
  /// are no numbers; x is then the last iterate.
  NewtonResult solve(Vector<double> &x, const SolverControl &control, double scale = 0.);

  double residual(const Vector<double> &x); ///< ‖F(x)‖₂

  NewtonOptions options;

private:
  struct State;
  Linearization kind_of_step(const State &state) const;
  double        tolerance(const State &state) const;
  bool          backtrack(const Vector<double> &x, const State &state, NewtonResult::Step &step);
  void          check(const SolverControl &control, const State &state) const;
  bool          at_rounding(const Vector<double> &x, double norm);

  Device            device;
  NonlinearProblem &problem;
  Vector<double>    r, d, x_new;
};
} // namespace adamant
