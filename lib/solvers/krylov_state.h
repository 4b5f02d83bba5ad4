#pragma once

#include "base/host_device.h"
#include "solvers/control.h"

// The state of an iteration in the memory of the device that runs it, and how the iteration judges a residual.

namespace adamant
{
/// Counts the iterations since the last progress: a residual that is more than 1% below the residual at the progress
/// before. For a stationary iteration, many iterations without progress are stagnation.
struct StagnationCounter
{
  double best  = 1e300; ///< residual at the last progress; at first anything is better
  int    count = 0;

  /// Takes the residual of an iteration, and returns the new count: 0 where the residual is progress.
  ADAMANT_HOST_DEVICE int add(double residual)
  {
    const bool progress = residual < 0.99 * best;
    count               = progress ? 0 : count + 1;
    best                = progress ? residual : best;
    return count;
  }
};

/// How a loop ended, or why it has not.
enum class Ending : int
{
  none,         ///< the loop goes on
  start,        ///< the loop begins with a residual that has just been computed
  converged,    ///< the residual is at most the tolerance, or is acceptable at the limit of iterations
  zero,         ///< b = 0, and so x = 0
  not_a_number, ///< the residual is NaN or infinity
  divergence,
  limit, ///< of iterations
  stagnation,
  breakdown,
  room, ///< GMRES needs memory for more vectors
  again ///< another cycle follows, as rounding may have falsified the residual of a recursion
};

/// An iteration begins at zero where its guess x has a residual ‖b - A x‖ above far_guess ‖b‖, as rounding of so large a
/// guess costs digits of the solution. A guess with a smaller residual may be good although zero has less residual.
constexpr double far_guess = 1e4;

/// The part of the state that all iterations share. It is set before a loop and changed by its control.
struct KrylovState
{
  KrylovState() = default;
  explicit KrylovState(const SolverControl &control, int place = 0)
    : tolerance(control.tolerance)
    , accepted(control.accepted)
    , max_iterations(control.max_iterations)
    , place(place)
  {}

  double            tolerance = 0, accepted = 0;
  int               max_iterations = 0;
  int               place          = 0; ///< number of the copy on the host that takes the final state
  Ending            ending         = Ending::start;
  SolverResult      result         = {};
  double            norm_b         = 0;
  StagnationCounter stagnation     = {};
  bool              from_zero      = false; ///< whether zero took the place of the guess, see far_guess

  /// Sets norm_b and the relative residual from the norms of r and b. Returns Ending::none, or how the iteration ends
  /// before its first step.
  ADAMANT_HOST_DEVICE Ending start(double norm_r, double norm_of_b)
  {
    norm_b = norm_of_b;
    if (norm_b == 0)
      return Ending::zero;
    result.final_residual = norm_r / norm_b;
    if (result.iterations == 0)
      result.initial_residual = result.final_residual;
    return unfit();
  }
  /// Returns Ending::none where the iteration can go on with this residual, else not_a_number or divergence. The bound
  /// of 1e8 is large enough for a slow start.
  ADAMANT_HOST_DEVICE Ending unfit() const
  {
    if (!(result.final_residual - result.final_residual == 0))
      return Ending::not_a_number;
    return result.final_residual > 1e8 ? Ending::divergence : Ending::none;
  }
  /// Returns Ending::converged, Ending::limit, or Ending::none where the iteration goes on. With `accepts`, a residual
  /// up to `accepted` is converged at the limit.
  ADAMANT_HOST_DEVICE Ending reached(bool accepts) const
  {
    const double residual = result.final_residual;
    const bool   limit    = result.iterations >= max_iterations;
    if (residual <= tolerance || (accepts && limit && residual <= accepted))
      return Ending::converged;
    return limit ? Ending::limit : Ending::none;
  }
};

/// Sets the state of an iteration that begins. `norms` holds ‖r‖ of r = b - A x and ‖b‖, or their squares. Where the
/// former is above `far` times the latter, x becomes zero, r becomes b, and from_zero is set. `rounded` becomes r in
/// single precision, unless it is null. To be called for i < max(n, 1).
template <typename State>
struct StartSolve
{
  State                    start;
  State                   *state;
  const double            *norms;
  double                   far; ///< far_guess, or its square
  const double            *b;
  double                  *x, *r;
  float                   *rounded;
  int                      n;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const bool from_zero = norms[0] > far * norms[1];
    if (i == 0)
      {
        *state           = start;
        state->from_zero = from_zero;
      }
    if (i < n && from_zero)
      {
        x[i] = 0.;
        r[i] = b[i];
        if (rounded != nullptr)
          rounded[i] = static_cast<float>(b[i]);
      }
  }
};
} // namespace adamant
