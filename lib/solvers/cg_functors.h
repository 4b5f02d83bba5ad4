#pragma once

#include "algebra/functors/functor_types.h"
#include "solvers/krylov_state.h"

#include <cmath>

// Conjugate gradients on a device: functors for the entries of vectors, and the control of the loop.

namespace adamant
{
/// The state of CG in device memory. rho is r . z and alpha the step length, both of the iteration before. The number k
/// counts the steps since r was last computed as b - A x. All residuals are relative to ‖b‖.
struct CGState : KrylovState
{
  CGState() = default;
  CGState(const SolverControl &control, int place, const double *b, double *x)
    : KrylovState(control, place)
    , b(b)
    , x(x)
  {}

  double        size_of_A = 0; ///< ‖A v‖ / ‖v‖ for a vector v of random signs
  const double *b         = nullptr;
  double       *x         = nullptr;
  double        rho = 0, alpha = 0;
  int           k           = 0;
  int           first_cycle = 0; ///< steps of the first cycle, where a second one has followed; else 0
  double        largest     = 0; ///< the largest residual so far
  double        cycle_start = 0; ///< the residual at the start of the cycle

  /// Returns whether rounding may have parted the recursion's residual from ‖b - A x‖ by more than a tenth of the
  /// larger one of the final residual and the tolerance. Products with A have errors of epsilon ‖A‖ ‖x‖. Summing up
  /// residuals has errors of epsilon times the largest residual (Greenbaum 1997). No x on the way is much larger than
  /// the first and the last x, as the sum of the steps grows (Steihaug 1983).
  ADAMANT_HOST_DEVICE bool doubtful(double norm_x) const
  {
    constexpr double epsilon = 2.220446049250313e-16;
    const double     counts  = result.final_residual > tolerance ? result.final_residual : tolerance;
    return !(epsilon * (largest + size_of_A * norm_x / norm_b) <= 0.1 * counts);
  }
};

/// Computes beta, energy = p . A p and the step length alpha of an iteration. It takes the iteration's scalars r . z
/// and w . z, and rho and alpha of the iteration before: p . A p = w . z - beta r . z / alpha_old.
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

/// The sums are r . r and b . b. `rounded` becomes r in precision Number, unless it is null.
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

/// The sums are r . z and w . z, with z in either precision.
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

/// Sets p = z + beta p and s = w + beta s = A p, subtracts alpha s from r, and adds alpha p to the correction of x,
/// which begins at zero. The sum is r . r. A step behind the last iteration changes nothing.
template <typename Number>
struct CGUpdate
{
  static constexpr int n_sums = 1;

  struct Scalars
  {
    double beta, alpha;
    bool   first, ended;
  };

  const Number  *z;
  const double  *w;
  double        *p, *s, *correction, *r;
  Number        *rounded; ///< becomes r in precision Number, unless null
  const CGState *state;

  ADAMANT_HOST_DEVICE Scalars prepare(const double *products) const
  {
    const CGStep step(*state, products);
    return {step.beta, step.alpha, state->k == 0, state->ending != Ending::none};
  }
  ADAMANT_HOST_DEVICE Sums<1> operator()(int i, const Scalars &c) const
  {
    if (c.ended)
      return {{0.}};
    const double z_i = z[i], w_i = w[i], p_old = p[i], s_old = s[i], sum_old = correction[i], r_old = r[i];
    const double p_i = c.first ? z_i : z_i + c.beta * p_old, s_i = c.first ? w_i : w_i + c.beta * s_old;
    const double r_i = r_old - c.alpha * s_i;
    correction[i]    = (c.first ? 0. : sum_old) + c.alpha * p_i;
    p[i]             = p_i;
    s[i]             = s_i;
    r[i]             = r_i;
    if (rounded != nullptr)
      rounded[i] = static_cast<Number>(r_i);
    return {{r_i * r_i}};
  }
};

/// Adds the correction to x where a cycle has ended, and sets x = 0 where b = 0. The sums are x . x before and after.
struct CGCorrection
{
  static constexpr int n_sums = 2;

  struct Scalars
  {
    double *x;
    bool    zero, corrects;
  };

  const CGState              *state;
  const double               *correction;
  ADAMANT_HOST_DEVICE Scalars prepare() const
  {
    return {state->x, state->ending == Ending::zero, state->ending != Ending::none && state->k > 0};
  }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, const Scalars &c) const
  {
    const double x_old = c.x[i], x_new = c.zero ? 0. : c.corrects ? x_old + correction[i] : x_old;
    c.x[i] = x_new;
    return {{x_old * x_old, x_new * x_new}};
  }
};

/// Prepares another cycle: copies the solution so far to `x`, and b to `r`, from which A x is subtracted afterwards.
struct CGRestart
{
  const CGState           *state;
  double                  *x, *r;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    x[i] = state->x[i];
    r[i] = state->b[i];
  }
};

/// Returns whether CG goes on. `squares` holds r . r at the start of a cycle, b . b at the start of the first cycle,
/// then A v . A v and v . v for a vector v of random signs. `scalars` holds r . z, w . z and r . r. `on_host` gets a
/// copy of the state at the end of each cycle.
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
  /// Returns whether another cycle follows the one that has ended.
  ADAMANT_HOST_DEVICE bool again() const { return state->ending == Ending::again; }
  ADAMANT_HOST_DEVICE bool goes_on() const { return state->ending == Ending::none; }

private:
  ADAMANT_HOST_DEVICE Ending start(CGState &s) const
  {
    const bool first    = s.result.iterations == 0;
    s.k                 = 0;
    s.size_of_A         = squares[3] > 0 ? sqrt(squares[2] / squares[3]) : 0.;
    const Ending ending = s.start(sqrt(squares[s.from_zero]), first ? sqrt(squares[1]) : s.norm_b);
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
    s.largest               = s.result.final_residual > s.largest ? s.result.final_residual : s.largest;
    ++s.k;
    ++s.result.iterations;
    const Ending unfit = s.unfit();
    return unfit == Ending::none ? s.reached(false) : unfit;
  }
};

/// Returns whether CG goes on, in this cycle or with another one. `squares` holds x . x before and after a cycle.
struct CGDoubt
{
  CGState      *state, *on_host;
  const double *squares;

  ADAMANT_HOST_DEVICE bool operator()() const
  {
    CGState   &s       = *state;
    const bool reached = s.ending == Ending::converged || s.ending == Ending::limit;
    if (!reached || s.k == 0 || !s.doubtful(sqrt(squares[0] > squares[1] ? squares[0] : squares[1])))
      return s.ending == Ending::none;
    s.first_cycle    = s.first_cycle == 0 ? s.k : s.first_cycle;
    s.ending         = Ending::again;
    on_host[s.place] = s;
    return true;
  }
};
} // namespace adamant
