#pragma once

#include "algebra/sums.h"
#include "solvers/krylov_state.h"

#include <cmath>

// Conjugate gradients on a device: what is done to each entry, and its control.

namespace adamant
{
/// rho, alpha: r . z and the step of the iteration before; k: the steps since r was computed as b - A x.
struct CGState : KrylovState
{
  CGState() = default;
  CGState(const SolverControl &control, int place, const double *b, double *x)
    : KrylovState(control, place)
    , b(b)
    , x(x)
  {}

  double        size_of_A = 0; ///< ‖A v‖ / ‖v‖ for a rough v
  const double *b         = nullptr;
  double       *x         = nullptr;
  double        rho = 0, alpha = 0;
  int           k           = 0;
  int           first_cycle = 0; ///< its steps, where another one has followed
  double        path        = 0; ///< ‖x‖ at first and Σ ‖alpha p‖: no x on the way is larger
  double        largest     = 0; ///< residual so far
  double        cycle_start = 0; ///< residual

  /// Whether rounding may have parted the recursion's residual from ‖b - A x‖ by a tenth of what counts: the products'
  /// errors are epsilon ‖A‖ ‖x‖, those of adding up residuals epsilon times the largest one (Greenbaum 1997).
  ADAMANT_HOST_DEVICE bool doubtful() const
  {
    constexpr double epsilon = 2.220446049250313e-16;
    const double     counts  = result.final_residual > tolerance ? result.final_residual : tolerance;
    return !(epsilon * (largest + size_of_A * path / norm_b) <= 0.1 * counts);
  }
};

/// The step of an iteration from its scalars r . z, w . z and those of the one before:
/// p . A p = w . z - beta r . z / alpha_old.
struct CGStep
{
  double beta, energy, alpha;

  ADAMANT_HOST_DEVICE CGStep(const CGState &state, const double *scalars)
  {
    const bool first = state.k == 0;
    beta             = first ? 0. : scalars[0] / state.rho;
    energy           = first ? scalars[1] : scalars[1] - beta * (scalars[0] / state.alpha);
    alpha            = scalars[0] / energy;
  }
};

/// r . r and b . b; r rounded, where not null.
template <typename Number>
struct CGStart
{
  static constexpr int n_sums = 2;

  const double               *r, *b;
  Number                     *rounded;
  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, Nothing) const
  {
    const double r_i = r[i], b_i = b[i];
    if (rounded != nullptr)
      rounded[i] = static_cast<Number>(r_i);
    return {{r_i * r_i, b_i * b_i}};
  }
};

/// r . z and w . z, z in either precision.
template <typename Number>
struct CGProducts
{
  static constexpr int n_sums = 2;

  const double               *r;
  const Number               *z;
  const double               *w;
  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, Nothing) const
  {
    const double z_i = z[i];
    return {{r[i] * z_i, w[i] * z_i}};
  }
};

/// p = z + beta p, s = w + beta s = A p, x += alpha p, r -= alpha s; the sums are r . r and p . p. Where x is a correction,
/// it is zero before the first iteration, and may hold anything. After the last iteration nothing changes.
template <typename Number>
struct CGUpdate
{
  static constexpr int n_sums = 2;

  struct Scalars
  {
    double beta, alpha;
    bool   first, x_is_zero, ended;
  };

  const Number  *z;
  const double  *w;
  double        *p, *s, *x, *r;
  Number        *rounded; ///< r, where not null
  const CGState *state;
  bool           corrects;

  ADAMANT_HOST_DEVICE Scalars prepare(const double *products) const
  {
    const CGStep step(*state, products);
    const bool   first = state->k == 0;
    return {step.beta, step.alpha, first, first && corrects, state->ending != Ending::none};
  }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, const Scalars &c) const
  {
    if (c.ended)
      return {{0., 0.}};
    const double z_i = z[i], w_i = w[i], p_old = p[i], s_old = s[i], x_old = x[i], r_old = r[i];
    const double p_i = c.first ? z_i : z_i + c.beta * p_old, s_i = c.first ? w_i : w_i + c.beta * s_old;
    const double r_i = r_old - c.alpha * s_i;
    x[i]             = (c.x_is_zero ? 0. : x_old) + c.alpha * p_i;
    p[i]             = p_i;
    s[i]             = s_i;
    r[i]             = r_i;
    if (rounded != nullptr)
      rounded[i] = static_cast<Number>(r_i);
    return {{r_i * r_i, p_i * p_i}};
  }
};

/// x += the correction, where there is one; x = 0 where b = 0.
struct CGCorrection
{
  const CGState           *state;
  const double            *correction;
  double                  *x;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    if (state->ending == Ending::zero)
      x[i] = 0.;
    else if (state->k > 0)
      x[i] += correction[i];
  }
};

/// Between two cycles: x += the correction, where there is one, a copy of it, and r = b, of which A x is to be taken
/// away.
struct CGRestart
{
  const CGState           *state;
  const double            *correction;
  double                  *copy, *r;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double x_i = state->x[i];
    if (correction != nullptr)
      state->x[i] = x_i += correction[i];
    copy[i] = x_i;
    r[i]    = state->b[i];
  }
};

/// Whether CG goes on. squares: r . r at the start of a cycle, b . b at that of the first one, x . x, and A v . A v
/// and v . v for a rough v; scalars: r . z, w . z, r . r, p . p.
struct CGControl
{
  CGState      *state, *on_host;
  const double *squares, *scalars;

  ADAMANT_HOST_DEVICE bool operator()() const
  {
    CGState s = *state;
    if (s.ending != Ending::start && s.ending != Ending::none)
      return false; // behind the last step
    s.ending = s.ending == Ending::start ? start(s) : judge(s);
    *state   = s;
    if (s.ending != Ending::none)
      on_host[s.place] = s;
    return s.ending == Ending::none;
  }

  /// Whether another cycle follows this one.
  ADAMANT_HOST_DEVICE bool again() const { return state->ending == Ending::again; }

private:
  ADAMANT_HOST_DEVICE Ending start(CGState &s) const
  {
    const bool   first  = s.result.iterations == 0;
    const double norm_x = sqrt(squares[2]);
    s.k                 = 0;
    s.path              = norm_x > s.path ? norm_x : s.path;
    s.size_of_A         = squares[4] > 0 ? sqrt(squares[3] / squares[4]) : 0.;
    const Ending ending = s.start(sqrt(squares[0]), first ? sqrt(squares[1]) : s.norm_b);
    if (ending != Ending::none)
      return ending;
    const Ending reached  = s.reached(false);
    const bool   stagnant = reached == Ending::none && !first && s.result.final_residual > 0.9 * s.cycle_start;
    s.cycle_start         = s.result.final_residual;
    s.largest             = s.cycle_start > s.largest ? s.cycle_start : s.largest;
    return stagnant ? Ending::stagnation : reached;
  }
  ADAMANT_HOST_DEVICE Ending judge(CGState &s) const
  {
    const CGStep step(s, scalars);
    if (step.energy <= 0 || scalars[0] <= 0) // NaN is left to the residual
      return Ending::breakdown;
    s.rho                   = scalars[0];
    s.alpha                 = step.alpha;
    s.result.final_residual = sqrt(scalars[2]) / s.norm_b;
    s.path += step.alpha * sqrt(scalars[3]);
    s.largest = s.result.final_residual > s.largest ? s.result.final_residual : s.largest;
    ++s.k;
    ++s.result.iterations;
    const Ending unfit = s.unfit(), reached = unfit == Ending::none ? s.reached(false) : unfit;
    if (unfit != Ending::none || reached == Ending::none || !s.doubtful())
      return reached;
    s.first_cycle = s.first_cycle == 0 ? s.k : s.first_cycle;
    return Ending::again;
  }
};
} // namespace adamant
