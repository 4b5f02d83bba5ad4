#pragma once

#include "solvers/krylov_state.h"

#include <cmath>

// GMRES on a device: its first basis vector, and its control, which solves the small least-squares problem.

namespace adamant
{
/// Iteration k of a cycle and, after a cycle, how many directions the solution takes.
struct GMRESState : KrylovState
{
  GMRESState() = default;
  GMRESState(const SolverControl &control, int restart, int capacity)
    : KrylovState(control)
    , restart(restart)
    , capacity(capacity)
  {}

  int    restart = 0, capacity = 0; ///< directions that a cycle may take, and for which there is memory
  int    k = 0, n_combined = 0;
  int    k_of_step      = 0; ///< of the step that is under way
  double cycle_start    = 0; ///< residual
  double largest_column = 0; ///< of the norms of A z_i
};

/// v_0 = v = r / ‖r‖, v in either precision.
template <typename Number>
struct FirstBasisVector
{
  const double            *r, *norm_r;
  double                  *v_0;
  Number                  *v;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const double v_i = r[i] / *norm_r;
    v_0[i]           = v_i;
    v[i]             = static_cast<Number>(v_i);
  }
};

/// The numbers of the least-squares problem with at most `restart` columns, in device memory.
struct GMRESNumbers
{
  double *column;        ///< of the Hessenberg matrix: restart + 1, with scratch behind them
  double *cosine, *sine; ///< of the rotations
  double *g;             ///< the right-hand side, rotated: restart + 1
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

  /// Column k takes the old rotations and a new one that clears its subdiagonal entry. A column of which nothing is
  /// left is that of a direction without effect: the residual stays.
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

  /// R y = g, k unknowns; returns the sum of |y|.
  ADAMANT_HOST_DEVICE double solve(int k) const
  {
    for (int i = 0; i < k; ++i)
      y[i] = g[i];
    double sum = 0;
    for (int j = k - 1; j >= 0; --j)
      {
        const double *R_j = R + j * (j + 1) / 2;
        const double  y_j = R_j[j] != 0 ? y[j] / R_j[j] : 0.; // a zero pivot belongs to a direction without effect
        for (int i = 0; i < j; ++i)
          y[i] -= R_j[i] * y_j;
        y[j] = y_j;
        sum += y_j < 0 ? -y_j : y_j;
      }
    return sum;
  }
};

/// Whether GMRES goes on. norms: of r and b, at the start of a cycle.
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
      *on_host = s;
    return s.ending == Ending::none;
  }

private:
  ADAMANT_HOST_DEVICE Ending start(GMRESState &s) const
  {
    s.k = s.n_combined  = 0;
    s.largest_column    = 0;
    numbers.g[0]        = norms[0];
    const Ending ending = s.start(norms[0], norms[1]);
    if (ending != Ending::none)
      return ending;
    const Ending reached = s.reached(true);
    if (reached == Ending::none && s.result.iterations > 0 && s.result.final_residual > 0.99 * s.cycle_start)
      return Ending::stagnation;
    s.cycle_start = s.result.final_residual;
    return reached;
  }

  ADAMANT_HOST_DEVICE Ending judge(GMRESState &s) const
  {
    const int k      = s.k;
    double    square = 0;
    for (int i = 0; i < k + 2; ++i)
      square += numbers.column[i] * numbers.column[i];
    const double norm = sqrt(square), negligible = 1e-14 * norm, below = numbers.column[k + 1];
    const bool   breakdown = !(below > negligible);
    s.largest_column       = norm > s.largest_column ? norm : s.largest_column;
    numbers.rotate(k, breakdown ? 0. : below, negligible);
    s.k                     = k + 1;
    s.result.final_residual = fabs(numbers.g[k + 1]) / s.norm_b;
    ++s.result.iterations;
    if (const Ending unfit = s.unfit(); unfit != Ending::none)
      return unfit;
    const bool converged = s.result.final_residual <= s.tolerance;
    if (breakdown && !converged)
      return Ending::breakdown;
    if (converged || s.k == s.restart || s.result.iterations >= s.max_iterations)
      return finish_cycle(s, converged);
    return s.k == s.capacity ? Ending::room : Ending::none;
  }

  // The recursive residual is the true one but for rounding; it is computed again where that may be too large, as with
  // a nearly singular matrix, and where the target is not reached.
  ADAMANT_HOST_DEVICE Ending finish_cycle(GMRESState &s, bool converged) const
  {
    constexpr double epsilon = 2.220446049250313e-16;
    s.n_combined             = s.k;
    const double rounding    = epsilon * s.largest_column * numbers.solve(s.k) / s.norm_b;
    return converged && rounding <= 0.1 * s.tolerance ? Ending::converged : Ending::start;
  }
};
} // namespace adamant
