#pragma once

#include "algebra/device.h"
#include "fem/spaces/level_space.h"
#include "frame/parameters/time_parameters.h"
#include "frame/restart/state.h"

#include <cmath>
#include <optional>
#include <string>

namespace adamant
{
/// Returns the length of the shortest edge of the cells around each of a rank's own nodes of a scalar space. All ranks
/// call the functions for lengths together.
template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space);

/// Returns the shortest edge of the mesh when all cells are refined to this level; cells of larger levels stay.
template <int dim>
double shortest_edge(const dealii::Triangulation<dim> &mesh, int level = 0);

/// Returns the largest |u| / h at a node, h its shortest edge; u has dim components, one after the other. Times a time
/// step it is the CFL number.
template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u);

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
/// no multiple of it. The mesh may have changed since the step was chosen. Over a change of the mesh the limit stays as
/// it is; else it is saved or loaded, too.
void serialize_step(State &state, Schedule &schedule, StepLimit &limit, double end);

/// Prints a note where the step is above the limit after a change of the mesh.
void check_step(double step, const StepLimit &limit);

/// Throws RunError: in this step of length dt the speed has grown far beyond the data's speed.
[[noreturn]] void report_blow_up(unsigned int step, double time, double dt, double mean_speed, double reference_speed,
                                 const StepLimit &limit);

/// The mean speed of a flow over its nodes, for two steps: while the device does one step, the host reads the speed of
/// the other.
class MeanSpeed
{
public:
  MeanSpeed() = default;
  explicit MeanSpeed(const Device &device)
    : square(device, 2)
    , taken{Mark(device), Mark(device)}
  {}

  /// Launches the computation for a velocity u, whose result goes to `place` 0 or 1. All ranks call it together.
  void take(const Vector<double> &u, int place)
  {
    u.device().dot(u, u, square, place);
    taken[place].take();
  }
  /// Waits for `take` of this place and returns the root mean square of the speed at n nodes.
  double at(int place, double n) const
  {
    taken[place].wait();
    return std::sqrt(square.on_host()[place] / n);
  }

private:
  Scalars square;
  Mark    taken[2];
};

/// Tests whether a flow has become steady: ‖u - u_old‖ <= tolerance dt ‖u‖.
class SteadyState
{
public:
  explicit SteadyState(double tolerance) ///< 0: the flow never counts as steady, and nothing is computed
    : tolerance(tolerance)
  {}

  /// Returns ‖u - u_old‖ / (dt ‖u‖) and sets `reached`; u_old becomes the difference. All ranks call it together.
  std::optional<double> test(const Vector<double> &u, Vector<double> &u_old, double dt);

  bool reached = false;

private:
  double tolerance;
};
} // namespace adamant
