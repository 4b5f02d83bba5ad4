#include "flow/stable_step.h"

#include "base/exceptions.h"
#include "solvers/krylov.h"

#include <iostream>

namespace adamant
{
StepLimit stable_step(double shortest_edge, double least, double most, double speed, int dim)
{
  const double h = shortest_edge, U = std::max(speed, 1e-100);
  const double diffusive = h * h / (2. * most), crossing = h / U, central = 2. * least / (dim * U * U);
  const double limit = std::min(central, 1. / (1. / diffusive + 1. / crossing));
  return {limit, "the estimated limit of a stable time step is " + to_text(limit) + " (diffusion alone " +
                   to_text(diffusive) + ", convection alone " + to_text(std::min(crossing, central)) + " at speed " +
                   to_text(speed) + "; shortest edge " + to_text(h) + ")"};
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
    check_step(step, limit = own);
  const double n_steps = std::round(end / step);
  if (std::abs(n_steps * step - end) > 1e-8 * end)
    throw InputError("--restart: Time stepping/End time = " + to_text(end) +
                     " is not a multiple of the checkpoint's time step " + to_text(step));
  schedule.step    = step;
  schedule.n_steps = static_cast<unsigned int>(n_steps);
}

void check_step(double step, const StepLimit &limit)
{
  if (step > limit.limit)
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
  for (const auto &[u, u_old] : fields)
    {
      const Device &device = u->device();
      device.axpby(1., *u, -1., *u_old);
      const double change = std::sqrt(device.dot(*u_old, *u_old) / device.dot(*u, *u)) / dt;
      largest             = std::max(change, largest);
      reached             = reached && change <= tolerance;
    }
  return largest;
}
} // namespace adamant
