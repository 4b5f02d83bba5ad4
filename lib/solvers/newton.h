#pragma once

#include "algebra/vector.h"
#include "solvers/control.h"

#include <vector>

namespace adamant
{
/// The linear operator that a step takes in place of F near x.
enum class Linearization
{
  newton, ///< F'(x)
  picard  ///< an operator that agrees with F near x; its steps converge more slowly, but from further away
};

/// A step x + s d on trial.
struct NewtonTrial
{
  double length, residual;    ///< s and ‖F(x + s d)‖₂, whose residual() is the problem's last one
  double last, first, wanted; ///< ‖F(x)‖₂, ‖F‖₂ at the guess, and the ‖F‖₂ at which the iteration ends
};

/// The problem F(x) = 0 as class Newton needs it, with all vectors on one device. Entries of x that belong to no
/// equation have zeros in r, and `solve` sets their change in d; so they follow each step.
class NonlinearProblem
{
public:
  virtual ~NonlinearProblem() = default;

  virtual void residual(const Vector<double> &x, Vector<double> &r) = 0; ///< r = -F(x)
  /// Prepares J for `solve`: F'(x), or the operator of Picard's step. The last residual was that of x. A problem that
  /// has only one kind ignores `kind`.
  virtual void linearize(const Vector<double> &x, Linearization kind) = 0;
  /// Solves J d = r from the guess d = 0 until ‖r - J d‖ <= tolerance ‖r‖; 0 stands for the problem's own tolerance.
  virtual SolverResult solve(const Vector<double> &r, Vector<double> &d, double tolerance) = 0;
  /// Returns whether Newton's method takes this step, else it halves s. By default ‖F‖ has to fall: `‖F(x + s d)‖ <=
  /// (1 - s / 10⁴) ‖F(x)‖` (Dennis & Schnabel, Section 6.3.2).
  virtual bool accepts(const NewtonTrial &step)
  {
    return step.residual <= (1. - 1e-4 * step.length) * step.last || step.residual <= step.wanted;
  }
  virtual bool has_another() { return false; } ///< J for the same x, where no step along this one's d was accepted
  virtual bool solved(double norm, double wanted) { return norm <= wanted; } ///< by the x of the last residual
};

struct NewtonOptions
{
  /// The first steps are Picard's, undamped, until ‖F‖ is at most picard_until times its first value. With 0, the first
  /// step is Newton's.
  double picard_until = 0.;
  int    max_halvings = 10; ///< of the length of a step
  /// Where no step of Newton's method reduces ‖F‖, at least five of Picard's follow, until they have halved it, up to
  /// `rescues` times. On the way past a least ‖F‖ that is not zero it grows.
  int rescues = 0;
  /// The bounds of the tolerance of step k's linear system, 0.9 (‖F_k‖ / ‖F_{k-1}‖)² (Eisenstat & Walker 1996, choice
  /// 2). The first step takes most_tolerance. Linear systems are solved no more accurately than the tolerance of
  /// `solve` needs. Where most_tolerance is 0, all systems take the problem's own tolerance.
  double      least_tolerance = 0., most_tolerance = 0.;
  const char *method =
    "Newton's method"; ///< for messages; the problem may have another one, whatever the kind of a step
};

struct NewtonResult
{
  int    steps            = 0; ///< linear systems solved
  int    iterations       = 0; ///< of the linear solver, summed over all steps
  double initial_residual = 0; ///< ‖F‖₂ at the first iterate
  double final_residual   = 0; ///< ‖F‖₂ at the last iterate

  struct Step
  {
    Linearization kind;
    double        tolerance;  ///< of the linear system
    int           iterations; ///< of the linear solver
    double        length;     ///< s of the step x <- x + s d
    double        residual;   ///< ‖F‖₂ after the step
  };
  std::vector<Step> history;
};

/// Solves F(x) = 0 by Newton's method with backtracking: x <- x + s d with J d = -F(x). The length s is the first one
/// of 1, 1/2, 1/4, ... that the problem accepts. The options say where Picard's steps are taken.
class Newton
{
public:
  Newton(const Device &device, NonlinearProblem &problem, int n_unknowns, const NewtonOptions &options = {});

  /// Solves F(x) = 0 from the guess x, until ‖F(x)‖ <= control.tolerance times `scale`. A scale of 0 stands for ‖F‖ at
  /// the guess. The iteration counts as converged, too, where ‖F(x)‖ is at the level of rounding: F changes as much
  /// when x is rounded. That is tested where no step reduces ‖F‖, or one of Newton's or the last one has not halved
  /// it. Throws SolverError where max_iterations steps or the halvings do not suffice, Picard's steps stagnate or
  /// diverge, or values are no numbers; x is then the last iterate.
  NewtonResult solve(Vector<double> &x, const SolverControl &control, double scale = 0.);

  double        residual(const Vector<double> &x); ///< returns ‖F(x)‖₂
  NewtonOptions options;

private:
  struct State;
  Linearization kind_of_step(const State &state) const;
  double        tolerance(const State &state) const;
  bool          backtrack(const Vector<double> &x, const State &state, NewtonResult::Step &step);
  void          check(const SolverControl &control, const State &state) const;
  bool          at_rounding(const Vector<double> &x, double reached);
  double        norm(const Vector<double> &v) const; // also where squares of entries are zero

  Device            device;
  NonlinearProblem &problem;
  Vector<double>    r, d, x_new;
};
} // namespace adamant
