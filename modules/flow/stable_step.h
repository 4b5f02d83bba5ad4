#pragma once

#include "frame/parameters/time_parameters.h"
#include "frame/restart/state.h"

#include <string>

namespace adamant
{
/// The longest stable step of forward Euler for transport and diffusion with a lumped mass.
struct StepLimit
{
  double      limit;
  std::string text; ///< the numbers behind the limit, for messages
};

/// Returns the limit on bilinear elements of shortest edge h. Diffusion alone allows h² / (2 ν), convection at speed U
/// alone h / U, and their inverses add up. Central differences in dim directions allow 2 ν / (dim U²).
StepLimit stable_step(double shortest_edge, double viscosity, double speed, int dim);

/// Returns the schedule to this end time. A step above the limit throws InputError, or with `shorten` becomes shorter.
/// It then divides the end time, as it does where the end time is no multiple of the step.
Schedule stable_schedule(const Schedule &schedule, double end, const StepLimit &limit, bool shorten);

/// Saves or loads the time step of a checkpoint, which a continued run keeps. Throws InputError where the end time is
/// no multiple of it. The mesh may have changed since the step was chosen.
void serialize_step(State &state, Schedule &schedule, double end);

/// Prints a note where the step is above the limit after a change of the mesh.
void check_step(double step, const StepLimit &limit);

/// Throws RunError: in this step of length dt the speed has grown far beyond the data's speed.
[[noreturn]] void report_blow_up(unsigned int step, double time, double dt, double mean_speed, double reference_speed,
                                 const StepLimit &limit);
} // namespace adamant
