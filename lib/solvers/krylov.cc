#include "solvers/krylov.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

namespace adamant
{
PendingResult KrylovMethod::launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control,
                                   const std::function<void()> &follow)
{
  const std::shared_ptr<void> at_end(nullptr, [this](void *) { following = nullptr; });
  following                  = &follow;
  followed                   = false;
  const PendingResult result = start_in_range(b, x, control, false);
  if (!followed)
    follow();
  return result;
}

// A solve, and another one times a power of two where the first one fails or sees zero for want of range.
PendingResult KrylovMethod::start_in_range(const Vector<double> &b, Vector<double> &x, const SolverControl &control,
                                           bool waits)
{
  PendingResult result;
  try
    {
      result = start(b, x, control, waits);
      if ((!waits && !result.known()) || result.wait().final_residual > 0.)
        return result;
    }
  catch (const SolverError &)
    {
      if (scale_into_range(b) == 1.)
        throw;
      x.set_zero(); // it may hold anything
    }
  const double scale = scale_into_range(b);
  if (scale == 1.)
    return result;
  Vector<double> scaled_b(device, b.size()), scaled_x(device, x.size());
  device.axpby(scale, b, 0., scaled_b);
  device.axpby(scale, x, 0., scaled_x);
  result = PendingResult::of([&] { return start(scaled_b, scaled_x, control, true).wait(); });
  device.axpby(1. / scale, scaled_x, 0., x); // also what a solve that fails has reached
  followed = false;                          // for it had another x
  return result.wait();
}

double scale_into_range(const Vector<double> &v)
{
  double largest = 0.;
  for (const double value : to_host(v))
    largest = std::max(largest, std::abs(value));
  v.device().communicator().max(&largest, 1);
  const bool outside = largest > 0. && std::isfinite(largest) && !(largest >= 1e-30 && largest <= 1e30);
  return outside ? std::ldexp(1., std::min(-std::ilogb(largest), 1000)) : 1.;
}

int KrylovMethod::next_place()
{
  place                       = 1 - place;
  const PendingResult earlier = std::exchange(pending[place], PendingResult()); // no error of it is met again
  try
    {
      earlier.wait();
    }
  catch (const SolverError &)
    {}
  return place;
}

std::string to_text(double value)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

void check_residual(const char *solver, const SolverControl &control, int iteration, double residual)
{
  if (!std::isfinite(residual))
    fail(solver, control, iteration, residual, "NaN or infinity",
         iteration == 0 ?
           "the right-hand side, the matrix or the guess has values that are no numbers or too large; is "
           "a coefficient or a source so?" :
           "likely a smoother that diverges (reduce its damping), or coefficients beyond the range of "
           "its numbers (Precision = float64, unless it is)");
  if (residual > 1e8)
    fail(solver, control, iteration, residual, "divergence",
         "likely a smoother that diverges (reduce its damping or take Chebyshev) or an indefinite matrix");
}

bool ended(const SolverControl &control, const SolverResult &result)
{
  return result.final_residual <= control.tolerance ||
         (result.iterations >= control.max_iterations && result.final_residual <= control.accepted);
}

void check_ending(const char *solver, const SolverControl &control, const KrylovState &state,
                  const char *cause_of_breakdown, const char *cause_of_stagnation)
{
  if (state.ending == Ending::zero)
    return;
  const auto &[iterations, initial, residual] = state.result;
  check_residual(solver, control, iterations, residual);
  if (state.ending == Ending::limit)
    fail_unconverged(solver, control, residual);
  if (state.ending == Ending::breakdown)
    fail<BreakdownError>(solver, control, iterations, residual, "breakdown", cause_of_breakdown);
  if (state.ending == Ending::stagnation)
    fail(solver, control, iterations, residual, "stagnation", cause_of_stagnation);
}

void fail_unconverged(const char *solver, const SolverControl &control, double residual)
{
  fail(solver, control, control.max_iterations, residual, "not converged to " + to_text(control.tolerance),
       "allow more iterations, smooth more, or take another smoother");
}
} // namespace adamant
