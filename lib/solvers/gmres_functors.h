#pragma once

#include "solvers/krylov_state.h"

#include <cmath>

// GMRES on a device: functors for its vectors, and the control of its loop, which solves the small least-squares
// problem.

namespace adamant
{
/// The state of GMRES in device memory. k is the number of the iteration in its cycle. n_combined is the number of
/// directions that x takes after a cycle. Residuals are relative to ‖b‖.
struct GMRESState : KrylovState
{
  GMRESState() = default;
  GMRESState(const SolverControl &control, int place, int restart, int capacity, bool host_waits, const double *b,
             double *x)
    : KrylovState(control, place)
    , restart(restart)
    , capacity(capacity)
    , host_waits(host_waits)
    , b(b)
    , x(x)
  {}

  int           restart = 0, capacity = 0; ///< directions that a cycle may take, and that there is memory for
  bool          host_waits = true;         ///< the host gives more memory; else a cycle ends where the memory is full
  const double *b          = nullptr;
  double       *x          = nullptr;
  int           k = 0, n_combined = 0;
  int           k_of_step      = 0; ///< k of the step that is under way
  double        cycle_start    = 0; ///< the residual at the start of the cycle
  double        largest_column = 0; ///< the largest norm of the vectors A z_i
};

/// Sets v_0 = v = r / ‖r‖, with v in either precision.
template <typename Number>
struct FirstBasisVector
{
  const GMRESState        *state;
  const double            *r, *norms; ///< `norms` holds ‖r‖ and ‖b‖
  double                  *v_0;
  Number                  *v;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const double v_i = r[i] / norms[state->from_zero];
    v_0[i]           = v_i;
    v[i]             = static_cast<Number>(v_i);
  }
};

/// Adds sum_k y_k z_k over the directions z_k of a cycle to x, or sets x = 0 where b = 0. Returns the new x_i.
template <typename Number>
struct Combination
{
  const GMRESState    *state;
  const Number *const *directions;
  const double        *y;

  ADAMANT_HOST_DEVICE double operator()(int i) const
  {
    constexpr int at_once = 8; // loads that do not wait for each other
    const int     n       = state->n_combined;
    double       *x = state->x, x_i = x[i];
    for (int first = 0; first < n; first += at_once)
      {
        double z[at_once];
        for (int j = 0; j < at_once; ++j)
          z[j] = first + j < n ? directions[first + j][i] : 0.;
        for (int j = 0; j < at_once; ++j)
          if (first + j < n)
            x_i += y[first + j] * z[j];
      }
    if (n > 0 || state->ending == Ending::zero)
      x[i] = state->ending == Ending::zero ? 0. : x_i;
    return x_i;
  }
};

/// Prepares another cycle: updates x by the combination, copies x to `copy`, and sets r = b, from which A x is
/// subtracted afterwards.
template <typename Number>
struct NextCycle
{
  Combination<Number> combination;
  double             *copy, *r;
  NextCycle(const Combination<Number> &combination, double *copy, double *r)
    : combination(combination)
    , copy(copy)
    , r(r)
  {}

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    copy[i] = combination(i);
    r[i]    = combination.state->b[i];
  }
};

/// The numbers of the least-squares problem with at most `restart` columns, in device memory.
struct GMRESNumbers
{
  double *column;        ///< of the Hessenberg matrix: restart + 1 entries, with scratch behind them
  double *cosine, *sine; ///< of the rotations
  double *g;             ///< the right-hand side, rotated: restart + 1 entries
  double *R;             ///< the upper triangle, column k from k (k + 1) / 2
  double *y;             ///< the solution

  static int size(int restart) { return 2 * (restart + 1) + 4 * (restart + 1) + restart * (restart + 1) / 2; }
  GMRESNumbers() = default;
  GMRESNumbers(double *memory, int restart)
    : column(memory)
    , cosine(column + 2 * (restart + 1))
    , sine(cosine + restart + 1)
    , g(sine + restart + 1)
    , R(g + restart + 1)
    , y(R + restart * (restart + 1) / 2)
  {}

  /// Applies the old rotations to column k, and a new one that clears its subdiagonal entry. A column whose length is
  /// at most `negligible` belongs to a direction without effect: it leaves the residual as it is.
  ADAMANT_HOST_DEVICE void rotate(int k, double subdiagonal, double negligible) const
  {
    constexpr int at_once = 8; // loads that do not wait for each other
    double       *R_k = R + k * (k + 1) / 2, upper = column[0];
    for (int first = 0; first < k; first += at_once)
      {
        double c[at_once], s[at_once], next[at_once];
        for (int j = 0; j < at_once; ++j)
          if (first + j < k)
            {
              c[j]    = cosine[first + j];
              s[j]    = sine[first + j];
              next[j] = column[first + j + 1];
            }
        for (int j = 0; j < at_once; ++j)
          if (first + j < k)
            {
              R_k[first + j] = c[j] * upper + s[j] * next[j];
              upper          = -s[j] * upper + c[j] * next[j];
            }
      }
    const double hypotenuse = hypot(upper, subdiagonal), length = hypotenuse <= negligible ? 0. : hypotenuse;
    const double c = length > 0 ? upper / length : 0., s = length > 0 ? subdiagonal / length : 1., g_k = g[k];
    cosine[k] = c;
    sine[k]   = s;
    R_k[k]    = length;
    g[k]      = c * g_k;
    g[k + 1]  = -s * g_k;
  }

  /// Returns Σ h² over the k + 2 entries h of the column.
  ADAMANT_HOST_DEVICE double square_of_column(int k) const
  {
    constexpr int at_once = 8;
    double        square  = 0;
    for (int first = 0; first < k + 2; first += at_once)
      {
        double h[at_once];
        for (int j = 0; j < at_once; ++j)
          h[j] = first + j < k + 2 ? column[first + j] : 0.;
        for (int j = 0; j < at_once; ++j)
          square += h[j] * h[j];
      }
    return square;
  }

  /// Solves R y = g for k unknowns, and returns the sum of |y_i|.
  ADAMANT_HOST_DEVICE double solve(int k) const
  {
    constexpr int few = 8;
    return k <= few ? solve_few<few>(k) : solve_many(k);
  }

private:
  // Solves for at most `most` unknowns in registers: no load waits for the result of another one.
  template <int most>
  ADAMANT_HOST_DEVICE double solve_few(int k) const
  {
    double x[most], R_j[most][most];
    for (int j = 0; j < most; ++j)
      {
        x[j] = j < k ? g[j] : 0.;
        for (int i = 0; i <= j; ++i)
          R_j[j][i] = j < k ? R[j * (j + 1) / 2 + i] : 0.;
      }
    double sum = 0;
    for (int j = most - 1; j >= 0; --j)
      {
        x[j] = R_j[j][j] != 0 ? x[j] / R_j[j][j] : 0.; // a zero pivot belongs to a direction without effect
        for (int i = 0; i < j; ++i)
          x[i] -= R_j[j][i] * x[j];
        if (j < k)
          y[j] = x[j];
        sum += x[j] < 0 ? -x[j] : x[j];
      }
    return sum;
  }

  ADAMANT_HOST_DEVICE double solve_many(int k) const
  {
    for (int i = 0; i < k; ++i)
      y[i] = g[i];
    double sum = 0;
    for (int j = k - 1; j >= 0; --j)
      {
        const double *R_j = R + j * (j + 1) / 2;
        const double  y_j = R_j[j] != 0 ? y[j] / R_j[j] : 0.;
        for (int i = 0; i < j; ++i)
          y[i] -= R_j[i] * y_j;
        y[j] = y_j;
        sum += y_j < 0 ? -y_j : y_j;
      }
    return sum;
  }
};

/// Returns whether GMRES goes on. `norms` holds ‖r‖ at the start of a cycle, and ‖b‖ at the start of the first cycle.
/// `on_host` gets a copy of the state at the end of each cycle.
struct GMRESControl
{
  GMRESState   *state, *on_host;
  const double *norms;
  GMRESNumbers  numbers;

  ADAMANT_HOST_DEVICE bool operator()() const
  {
    GMRESState s = *state;
    if (s.ending == Ending::room)
      s.ending = Ending::none;
    else
      s.ending = s.ending == Ending::start ? start(s) : judge(s);
    *state = s;
    if (s.ending != Ending::none)
      on_host[s.place] = s;
    return s.ending == Ending::none;
  }
  /// Returns whether another cycle follows this one.
  ADAMANT_HOST_DEVICE bool again() const { return state->ending == Ending::start; }
  ADAMANT_HOST_DEVICE bool goes_on() const { return state->ending == Ending::none; }

private:
  ADAMANT_HOST_DEVICE Ending start(GMRESState &s) const
  {
    // Whether the last cycle has reached the tolerance or taken all directions. Any other cycle may gain nothing, as
    // it only lacked memory.
    const bool whole = s.result.final_residual <= s.tolerance || s.k == s.restart;
    s.k = s.n_combined  = 0;
    s.largest_column    = 0;
    numbers.g[0]        = norms[s.from_zero]; // this is ‖r‖; in later cycles both norms are ‖r‖
    const Ending ending = s.start(norms[s.from_zero], s.result.iterations == 0 ? norms[1] : s.norm_b);
    if (ending != Ending::none)
      return ending;
    const Ending reached = s.reached(true);
    if (reached == Ending::none && s.result.iterations > 0 && whole && s.result.final_residual > 0.99 * s.cycle_start)
      return Ending::stagnation;
    s.cycle_start = s.result.final_residual;
    return reached;
  }

  ADAMANT_HOST_DEVICE Ending judge(GMRESState &s) const
  {
    const int    k    = s.k;
    const double norm = sqrt(numbers.square_of_column(k)), negligible = 1e-14 * norm, below = numbers.column[k + 1];
    const bool   breakdown = below <= negligible;
    s.largest_column       = norm > s.largest_column ? norm : s.largest_column;
    numbers.rotate(k, breakdown ? 0. : below, negligible);
    s.k                     = k + 1;
    s.result.final_residual = fabs(numbers.g[k + 1]) / s.norm_b;
    ++s.result.iterations;
    if (!(norm - norm == 0)) // the rotations may hide a NaN or infinity
      s.result.final_residual = norm;
    if (const Ending unfit = s.unfit(); unfit != Ending::none)
      return unfit;
    const bool converged = s.result.final_residual <= s.tolerance;
    if (breakdown && !converged)
      return Ending::breakdown;
    const bool full = s.k == s.capacity && !s.host_waits;
    if (converged || full || s.k == s.restart || s.result.iterations >= s.max_iterations)
      return finish_cycle(s, converged);
    return s.k == s.capacity ? Ending::room : Ending::none;
  }

  // The recursive residual is the true one but for rounding. It is computed anew where the rounding may be too large,
  // as with a nearly singular matrix, and where the tolerance is not reached.
  ADAMANT_HOST_DEVICE Ending finish_cycle(GMRESState &s, bool converged) const
  {
    constexpr double epsilon = 2.220446049250313e-16;
    s.n_combined             = s.k;
    const double rounding    = epsilon * s.largest_column * numbers.solve(s.k) / s.norm_b;
    return converged && rounding <= 0.1 * s.tolerance ? Ending::converged : Ending::start;
  }
};
} // namespace adamant
