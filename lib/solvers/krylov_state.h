#pragma once

#include "base/host_device.h"
#include "solvers/control.h"

// What an iteration knows of itself, on the device that runs it, and how it judges a residual.

namespace adamant
{
/// Counts the iterations since the residual last fell by 1% below what it was at the last such fall: of a stationary
/// iteration many of them are a stagnation.
struct StagnationCounter
{
  double best  = 1e300; ///< residual at the last progress; at first anything is better
  int    count = 0;

  /// The count with this residual; 0 where it is progress.
  ADAMANT_HOST_DEVICE int add(double residual)
  {
    const bool progress = residual < 0.99 * best;
    count               = progress ? 0 : count + 1;
    best                = progress ? residual : best;
    return count;
  }
};

/// How a loop ended.
enum class Ending : int
{
  none,         ///< it goes on
  start,        ///< not at all: it begins with a residual that has just been computed
  converged,    ///< or acceptable
  zero,         ///< b = 0
  not_a_number, ///< or infinity
  divergence,
  limit, ///< of iterations
  stagnation,
  breakdown,
  room, ///< GMRES needs more vectors
  again ///< not yet: a residual of a recursion, which rounding may have falsified, is to be computed anew
};

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
  int               place          = 0; ///< of the copies on the host, the one that this becomes at the end
  Ending            ending         = Ending::start;
  SolverResult      result         = {};
  double            norm_b         = 0;
  StagnationCounter stagnation     = {};

  /// The residual from its norm and that of b; `none`, or how the iteration ends with it before its first step.
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
  /// Whether the residual is one to go on with. The bound on growth tells divergence from a slow start.
  ADAMANT_HOST_DEVICE Ending unfit() const
  {
    if (!(result.final_residual - result.final_residual == 0))
      return Ending::not_a_number;
    return result.final_residual > 1e8 ? Ending::divergence : Ending::none;
  }
  /// Convergence, or the limit of iterations.
  ADAMANT_HOST_DEVICE Ending reached(bool accepts) const
  {
    const double residual = result.final_residual;
    const bool   limit    = result.iterations >= max_iterations;
    if (residual <= tolerance || (accepts && limit && residual <= accepted))
      return Ending::converged;
    return limit ? Ending::limit : Ending::none;
  }
};
} // namespace adamant
