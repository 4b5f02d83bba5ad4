#include "solvers/newton.h"

#include "algebra/functors/vector_functors.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
constexpr int picard_steps_of_rescue = 5; // at least

[[noreturn]] void fail(const char *method, const SolverControl &control, int steps, double norm, const std::string &how)
{
  std::ostringstream text;
  text << method << ", " << control.name << ": " << how << " (" << steps << " steps, residual " << norm << ")";
  throw SolverError(text.str());
}
} // namespace

struct Newton::State
{
  double       wanted;
  double       norm, last = 0;     // ‖F‖ now, and before the last step
  double       rescued = HUGE_VAL; // the ‖F‖ at which a rescue may end
  int          rescues = 0, picard_left = 0;
  bool         begun = false, tested = false; // whether the last step was Newton's; whether x is not at rounding
  NewtonResult result = {};
};

Newton::Newton(const Device &device, NonlinearProblem &problem, int n_unknowns, const NewtonOptions &options)
  : options(options)
  , device(device)
  , problem(problem)
  , r(device, n_unknowns)
  , d(device, n_unknowns)
  , x_new(device, n_unknowns)
{}

double Newton::residual(const Vector<double> &x)
{
  problem.residual(x, r);
  return norm(r);
}

double Newton::norm(const Vector<double> &v) const
{
  if (const double square = device.dot(v, v); !(square < 1e-280))
    return std::sqrt(square);
  const double   scale = scale_into_range(v); // squares are too small
  Vector<double> scaled(device, v.size());
  device.axpby(scale, v, 0., scaled);
  return std::sqrt(device.dot(scaled, scaled)) / scale;
}

NewtonResult Newton::solve(Vector<double> &x, const SolverControl &control, double scale)
{
  const double first = residual(x);
  State        state{control.tolerance * (scale > 0 ? scale : first), first};
  state.result.initial_residual = first;
  while (!(problem.solved(state.norm, state.wanted) && std::isfinite(state.norm)))
    {
      const bool gained   = state.norm <= 0.5 * state.last; // more steps would, too
      const bool doubtful = !gained && !state.tested && (state.begun || state.result.steps >= control.max_iterations);
      if (doubtful && at_rounding(x, state.norm))
        break;
      check(control, state);
      NewtonResult::Step step{kind_of_step(state), tolerance(state), 0, 1., 0.};
      problem.linearize(x, step.kind);
      d.set_zero();
      step.iterations = problem.solve(r, d, step.tolerance).iterations;
      ++state.result.steps;
      state.result.iterations += step.iterations;
      if (backtrack(x, state, step))
        {
          std::swap(x, x_new);
          state.last        = std::exchange(state.norm, step.residual);
          state.picard_left = state.picard_left > 1 ? state.picard_left - 1 : state.norm > state.rescued;
          state.begun       = step.kind == Linearization::newton;
          state.tested      = false;
          state.result.history.push_back(step);
          continue;
        }
      if (at_rounding(x, state.norm)) // r is that of x again
        break;
      state.tested = true;
      if (problem.has_another())
        continue;
      if (state.rescues++ == options.rescues)
        fail(options.method, control, state.result.steps, state.norm,
             std::string("no step along its direction reduces the residual") +
               (options.rescues > 0 ? ", also after steps of Picard's" : "") +
               "; is it at the level of rounding, or the derivative of the equation wrong?");
      state.picard_left = picard_steps_of_rescue;
      state.rescued     = 0.5 * state.norm;
    }
  state.result.final_residual = state.norm;
  return state.result;
}

Linearization Newton::kind_of_step(const State &state) const
{
  const bool far = state.rescues == 0 && state.norm > options.picard_until * state.result.initial_residual;
  // Once Newton's steps have begun they go on.
  return state.picard_left > 0 || (options.picard_until > 0 && far && !state.begun) ? Linearization::picard :
                                                                                      Linearization::newton;
}

double Newton::tolerance(const State &state) const
{
  if (options.most_tolerance == 0. || state.last == 0.)
    return options.most_tolerance;
  const double ratio = state.norm / state.last, enough = 0.5 * state.wanted / state.norm;
  return std::clamp(std::max(0.9 * ratio * ratio, enough), options.least_tolerance, options.most_tolerance);
}

// Finds the length of a step; whether there is one. r becomes -F there.
bool Newton::backtrack(const Vector<double> &x, const State &state, NewtonResult::Step &step)
{
  const bool any = step.kind == Linearization::picard;
  for (int halvings = 0; halvings <= options.max_halvings; ++halvings, step.length *= 0.5)
    {
      device.copy(x, x_new);
      device.axpby(step.length, d, 1., x_new);
      step.residual = residual(x_new);
      if (any || problem.accepts({step.length, step.residual, state.norm, state.result.initial_residual, state.wanted}))
        return true;
    }
  return false;
}

// Whether ‖F(x)‖ is what rounding makes of zero: x with each entry changed in its last place has an F that differs by
// as much but for a factor. So terms of F that cancel count by their size.
bool Newton::at_rounding(const Vector<double> &x, double reached)
{
  device.for_each(x.size(), RandomSigns{x.data(), x_new.data()});
  device.axpby(1., x, 2.220446049250313e-16, x_new);
  problem.residual(x_new, d);
  problem.residual(x, r);
  device.axpby(-1., r, 1., d);
  return problem.solved(reached, 10. * norm(d));
}

void Newton::check(const SolverControl &control, const State &state) const
{
  const auto &history = state.result.history;
  const int   steps   = state.result.steps;
  const bool  picard  = history.empty() ? options.picard_until > 0. : history.back().kind == Linearization::picard;
  const auto  method  = picard ? "Picard's method" : options.method;
  const auto  stop    = [&](const char *how) { fail(method, control, steps, state.norm, how); };
  if (!std::isfinite(state.norm))
    stop("values that are no numbers or too large; is a coefficient or a source so there?");
  if (steps >= control.max_iterations)
    stop("the limit of steps; a smaller time step, or steps of a parameter, begin closer to the solution");
  if (picard && state.norm > 1e6 * state.result.initial_residual)
    stop("its steps diverge");
  if (history.size() >= 10 && std::all_of(history.end() - 10, history.end(), [&](const NewtonResult::Step &step) {
        return step.kind == Linearization::picard && step.residual < 1.01 * state.norm &&
               step.residual > 0.99 * state.norm;
      }))
    stop("ten steps have changed the residual by less than 1%");
}
} // namespace adamant
