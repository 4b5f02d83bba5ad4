#include "flow/stable_step.h"

#include "base/exceptions.h"
#include "solvers/krylov.h"

#include <iostream>

namespace adamant
{
StepLimit stable_step(double shortest_edge, double least, double most, double speed, double square)
{
  const double h = shortest_edge, U = std::max(speed, 1e-100);
  const double diffusive = h * h / (2. * most), crossing = h / U, central = 2. * least / std::max(square, 1e-200);
  const double limit = std::min(central, 1. / (1. / diffusive + 1. / crossing));
  return {limit, "the estimated limit of a stable time step is " + to_text(limit) + " (diffusion alone " +
                   to_text(diffusive) + ", convection alone " + to_text(std::min(crossing, central)) + " at speed " +
                   to_text(speed) + "; shortest edge " + to_text(h) + ")"};
}

StepLimit limit_at(double time, double limit)
{
  return {limit, "the estimated limit of a stable time step is " + to_text(limit) + " with the velocity at time " +
                   to_text(time)};
}

Schedule stable_schedule(const Schedule &wanted, double end, const StepLimit &limit, bool shorten)
{
  const double step = wanted.step;
  if (step > limit.limit && !shorten)
    throw InputError("Time stepping/Time step = " + to_text(step) + " is unstable: " + limit.text +
                     "; take a shorter step, or set Time stepping/Unstable step = shorten");
  Schedule     schedule = wanted;
  const double most     = std::min(step, limit.limit);
  const double n_steps  = std::ceil(end / most - 1e-8);
  if (n_steps > std::numeric_limits<unsigned int>::max())
    throw InputError("Time stepping: steps of " + to_text(most) + " to the end time are more than can be counted");
  schedule.n_steps = static_cast<unsigned int>(n_steps);
  if (n_steps > 0 && (step > limit.limit || std::abs(n_steps * step - end) > 1e-8 * end))
    {
      schedule.step = end / n_steps;
      std::cout << "the time step is shortened from " << step << " to " << schedule.step << std::endl;
    }
  return schedule;
}

void serialize_step(State &state, Schedule &schedule, StepLimit &limit, double end)
{
  const StepLimit own  = limit;
  double          step = schedule.step;
  state.scalar(step);
  if (!state.changes_mesh())
    {
      state.scalar(limit.limit);
      state.scalar(limit.text);
    }
  if (!state.loading())
    return;
  if (own.limit < (1. - 1e-8) * limit.limit) // to a later end time boundaries may move faster
    lower_limit(limit, own, step);
  const double n_steps = std::round(end / step);
  if (std::abs(n_steps * step - end) > 1e-8 * end)
    throw InputError("--restart: Time stepping/End time = " + to_text(end) +
                     " is not a multiple of the checkpoint's time step " + to_text(step));
  schedule.step    = step;
  schedule.n_steps = static_cast<unsigned int>(n_steps);
}

void lower_limit(StepLimit &limit, const StepLimit &now, double step, bool refuse)
{
  if (!(now.limit < (step > limit.limit ? 0.8 : 1.) * limit.limit))
    return;
  limit = now;
  if (step <= limit.limit)
    return;
  if (refuse)
    throw RunError("Time stepping/Time step = " + to_text(step) + " is unstable from here on: " + limit.text +
                   "; take a shorter step, below this limit as the flow may still become faster. Time stepping/" +
                   "Unstable step = shorten notes this and goes on");
  std::cout << "note: the time step " << step << " is too long from here on: " << limit.text << std::endl;
}

void report_blow_up(unsigned int step, double time, double dt, double mean_speed, double reference_speed,
                    const StepLimit &limit)
{
  throw RunError("the velocity blew up in step " + std::to_string(step) + " at time " + to_text(time) +
                 ": its mean over the nodes is " + to_text(mean_speed) + ", the largest prescribed or initial speed " +
                 to_text(reference_speed) + "; the time step " + to_text(dt) + " is too long or the mesh too coarse (" +
                 limit.text + ")");
}

std::optional<double> SteadyState::test(const Fields &fields, double dt)
{
  if (tolerance == 0.)
    return {};
  double largest = 0.;
  reached        = true;
  for (const auto &[u, u_old, rest] : fields)
    {
      const Device &device = u->device();
      double        n      = u->size();
      device.communicator().sum(&n, 1);
      device.axpby(1., *u, -1., *u_old);
      const double difference = std::sqrt(device.dot(*u_old, *u_old));
      const double size       = std::sqrt(std::max(device.dot(*u, *u), n * rest * rest));
      const double change     = difference == 0. ? 0. : difference / (dt * size);
      if (!(change <= largest)) // a NaN stays
        largest = std::isnan(largest) ? largest : change;
      reached = reached && change <= tolerance;
    }
  return largest;
}
} // namespace adamant
