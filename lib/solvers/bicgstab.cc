#include "solvers/bicgstab.h"

#include "algebra/profiler_range.h"

#include <cmath>

namespace adamant
{
namespace
{
// Places of the scalars.
constexpr int rho_new = 0, shadow_v = 1, t_s = 2, t_t = 3, r_r = 4, n_scalars = 5;

void fail_broken(const SolverControl &control, const SolverResult &result)
{
  fail("BiCGStab", control, result.iterations, result.final_residual, "breakdown",
       "the matrix or the preconditioner is singular; or use GMRES");
}
} // namespace

BiCGStab::BiCGStab(const Device &device, const LinearOperator &A, const Preconditioner &M)
  : KrylovMethod(device, A, M)
  , norms(device, 2)
  , scalars(device, n_scalars)
  , r(device, A.n_rows())
  , shadow(device, A.n_rows())
  , p(device, A.n_rows())
  , v(device, A.n_rows())
  , s(device, A.n_rows())
  , t(device, A.n_rows())
  , z(device, A.n_rows())
{}

// The recursion's residual drifts away from the true one, which therefore decides at the end of a cycle.
PendingResult BiCGStab::start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool)
{
  SolverResult result;
  double       cycle_start = 0;
  int          before      = 0; // iterations when the last cycle began
  bool         first = true, ended_well = false;
  for (;; first = false)
    {
      A.residual(x, b, r);
      device.norms(r, b, norms);
      const double *norm   = norms.fetch();
      double        norm_r = norm[0];
      const double  norm_b = norm[1];
      if (norm_b == 0)
        {
          x.set_zero();
          return result;
        }
      if (first && norm_r > far_guess * norm_b)
        {
          x.set_zero();
          device.copy(b, r);
          norm_r = norm_b;
        }
      result.final_residual = norm_r / norm_b;
      if (first)
        result.initial_residual = result.final_residual;
      check_residual("BiCGStab", control, result.iterations, result.final_residual);
      if (ended(control, result))
        return result;
      if (result.iterations >= control.max_iterations)
        fail_unconverged("BiCGStab", control, result.final_residual);
      if (ended_well && result.final_residual > 0.9 * cycle_start)
        fail("BiCGStab", control, result.iterations, result.final_residual, "stagnation", below_rounding);
      if (!first && result.iterations == before + 1 && result.final_residual > 0.9 * cycle_start)
        fail_broken(control, result);
      cycle_start = result.final_residual;
      before      = result.iterations;
      ended_well  = cycle(x, norm_b, control, result);
    }
}

// Iterations from the residual r, until it is small enough, the limit of iterations, or a step that breaks down;
// whether none did. A step whose second half is lost in rounding gains by its first: the true residual then decides.
bool BiCGStab::cycle(Vector<double> &x, double norm_b, const SolverControl &control, SolverResult &result)
{
  State state;
  for (int k = 0;; ++k)
    {
      const bool broken = !step(state, k == 0, x);
      if (broken && k == 0 && !state.gained)
        fail_broken(control, result);
      ++result.iterations;
      if (broken)
        return false;
      result.final_residual = std::sqrt(scalars.fetch()[r_r]) / norm_b;
      check_residual("BiCGStab", control, result.iterations, result.final_residual);
      if (ended(control, result) || result.iterations >= control.max_iterations)
        return true;
    }
}

// One iteration from the residual r; whether it went well.
bool BiCGStab::step(State &state, bool first, Vector<double> &x)
{
  const ProfilerRange range("BiCGStab iteration");
  if (first)
    device.copy(r, shadow);
  device.dot(shadow, r, scalars, rho_new);
  const double rho = scalars.fetch()[rho_new];
  if (rho == 0)
    return false;
  if (first)
    device.copy(r, p);
  else
    {
      // p = r + beta (p - omega v)
      const double beta = rho / state.rho * state.alpha / state.omega;
      device.axpby(-beta * state.omega, v, beta, p);
      device.axpby(1., r, 1., p);
    }
  state.rho = rho;
  run_recorded(first_half, [this] {
    M.vmult(p, z);
    A.multiply(1., z, 0., v);
    device.dot(shadow, v, scalars, shadow_v);
  });
  const double along = scalars.fetch()[shadow_v];
  if (along == 0)
    return false;
  state.alpha = rho / along;
  device.axpby(state.alpha, z, 1., x);
  state.gained = true;
  device.copy(r, s);
  device.axpby(-state.alpha, v, 1., s);
  run_recorded(second_half, [this] {
    M.vmult(s, z);
    A.multiply(1., z, 0., t);
    device.dot(t, s, scalars, t_s);
    device.dot(t, t, scalars, t_t);
  });
  const double *products = scalars.fetch();
  const double  square   = products[t_t];
  state.omega            = square > 0 ? products[t_s] / square : square == 0 ? 0. : square; // NaN stays
  device.axpby(state.omega, z, 1., x);
  device.copy(s, r);
  device.axpby(-state.omega, t, 1., r);
  device.dot(r, r, scalars, r_r);
  return state.omega != 0 || scalars.fetch()[r_r] == 0;
}
} // namespace adamant
