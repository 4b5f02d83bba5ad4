#pragma once

#include "application/state.h"
#include "application/time_parameters.h"

#include <string>

namespace adamant
{
/// The longest stable step of forward Euler for transport and diffusion with a lumped mass.
struct StepLimit
{
  double      limit;
  std::string text; ///< the numbers that it comes from, for messages
};

/// On bilinear elements of shortest edge h: h² / (2 ν) for diffusion, h / U for convection at speed U, which both take
/// their share, and for central differences along each of dim directions 2 ν / (dim U²).
StepLimit stable_step(double shortest_edge, double viscosity, double speed, int dim);

/// The schedule to this end time: a step above the limit is an InputError, or with `shorten` becomes shorter; then,
/// and where the end time is no multiple of it, the step divides the end time.
Schedule stable_schedule(const Schedule &schedule, double end, const StepLimit &limit, bool shorten);

/// In a checkpoint, whose time step goes on: an InputError where the end time is no multiple of it. The mesh may have
/// changed since the step was chosen.
void serialize_step(State &state, Schedule &schedule, double end);

/// On a mesh that has changed: says so where the step is above the limit now.
void check_step(double step, const StepLimit &limit);

/// Throws RunError: in this step of length dt the speed has grown far beyond that of the data.
[[noreturn]] void report_blow_up(unsigned int step, double time, double dt, double mean_speed, double reference_speed,
                                 const StepLimit &limit);
} // namespace adamant
