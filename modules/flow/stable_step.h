#pragma once

#include "algebra/device.h"
#include "coefficients/extremes.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functors.h"
#include "frame/parameters/time_parameters.h"
#include "frame/restart/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace adamant
{
/// Returns the length of a cell's shortest edge.
template <class Cell>
double shortest_edge_of(const Cell &cell)
{
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int line : cell->line_indices())
    shortest = std::min(shortest, cell->line(line)->vertex(0).distance(cell->line(line)->vertex(1)));
  return shortest;
}

/// Returns the length of the shortest edge of the cells around each of a rank's own nodes of a scalar space. All ranks
/// call the functions for lengths together.
template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space)
{
  Array<double>                                at_node(space.n_owned(), std::numeric_limits<double>::infinity());
  std::vector<dealii::types::global_dof_index> nodes(space.dofs_per_cell());
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      if (cell->is_artificial())
        continue;
      const double shortest = shortest_edge_of(cell);
      cell->get_dof_indices(nodes);
      for (const auto node : nodes)
        if (space.partition().in_local_range(node))
          {
            double &shortest_at_node = at_node[space.partition().global_to_local(node)];
            shortest_at_node         = std::min(shortest_at_node, shortest);
          }
    }
  return at_node;
}

/// Returns the shortest edge of the mesh when all cells are refined to this level; cells of larger levels stay.
template <int dim>
double shortest_edge(const dealii::Triangulation<dim> &mesh, int level = 0)
{
  double largest_negative = -std::numeric_limits<double>::infinity();
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned())
      largest_negative =
        std::max(largest_negative, -std::ldexp(shortest_edge_of(cell), std::min(cell->level() - level, 0)));
  Communicator(mesh.get_communicator()).max(&largest_negative, 1);
  return -largest_negative;
}

/// Returns the largest |u| / h at a node, h its shortest edge; u has dim components, one after the other. Times a time
/// step it is the CFL number.
template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u)
{
  const std::size_t n       = edges.size();
  double            fastest = 0;
  for (std::size_t i = 0; i < n; ++i)
    {
      double square = 0;
      for (unsigned int c = 0; c < dim; ++c)
        square += u[c * n + i] * u[c * n + i];
      fastest = std::max(fastest, std::sqrt(square) / edges[i]);
    }
  space.communicator().max(&fastest, 1);
  return fastest;
}

/// The longest stable step of forward Euler for transport and diffusion with a lumped mass.
struct StepLimit
{
  double      limit;
  std::string text; ///< the numbers behind the limit, for messages
};

/// Returns the limit on bilinear elements of shortest edge h. Diffusion alone allows h² / (2 ν), convection at the
/// largest speed U alone h / U, and their inverses add up. Central differences let long waves grow beyond 2 ν /
/// `square`, the mean of |u|² on their way. A viscosity that varies counts in the first limit with the largest value of
/// its modes, `most`, and in the last one with the `least`.
StepLimit stable_step(double shortest_edge, double least, double most, double speed, double square);

/// Returns what messages say of a limit that holds for the velocity at this time.
StepLimit limit_at(double time, double limit);

/// The longest stable step for the velocity that a flow has. As stable_step does, it takes the largest component of
/// u and the shortest edge at each node, and the mean of |u|² over the nodes.
template <int dim>
class StepOfVelocity
{
public:
  /// `least` and `most` are as for stable_step. All ranks call all functions together.
  StepOfVelocity(const Device &device, const LevelSpace<dim> &space, double least, double most)
    : least(least)
    , most(most)
    , n(space.n_global_dofs())
    , edges(device, shortest_edges(space))
    , rates(device, edges.size())
  {}

  /// Returns the limit for u on the device, which has dim components, one after the other, at this time; waits.
  StepLimit operator()(const Vector<double> &u, double time)
  {
    const Device &device = u.device();
    device.for_each(edges.size(), StepRate<dim>{edges.size(), most, u.data(), edges.data(), rates.data()});
    return limit_at(time, 1. / std::max(extremes(rates)[1], device.dot(u, u) / (2. * least * n)));
  }

private:
  const double         least, most, n;
  const Vector<double> edges;
  Vector<double>       rates;
};

/// Returns the schedule to this end time. A step above the limit throws InputError, or with `shorten` becomes shorter.
/// It then divides the end time, as it does where the end time is no multiple of the step.
Schedule stable_schedule(const Schedule &schedule, double end, const StepLimit &limit, bool shorten);

/// Saves or loads the time step of a checkpoint, which a continued run keeps. Throws InputError where the end time is
/// no multiple of it. The mesh may have changed since the step was chosen. Over a change of the mesh the limit stays as
/// it is. Else it is saved or loaded, too, and of the loaded and the present limit the shorter one is kept.
void serialize_step(State &state, Schedule &schedule, StepLimit &limit, double end);

/// Takes the present limit where it is below the one so far. Where the step is longer, it prints a note, or throws
/// RunError where `refuse` is set. A limit that has been too short before counts where it has lost a fifth.
void lower_limit(StepLimit &limit, const StepLimit &now, double step, bool refuse = false);

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

/// Tests whether a flow has become steady: ‖u - u_old‖ <= tolerance dt ‖u‖ for all fields u. Of a field that is nearly
/// zero, rounding remains. So ‖u‖ counts at least as the norm of a field whose values are `rest`.
class SteadyState
{
public:
  explicit SteadyState(double tolerance) ///< 0: the flow never counts as steady, and nothing is computed
    : tolerance(tolerance)
  {}

  struct Field
  {
    const Vector<double> *u;
    Vector<double>       *u_old;
    double                rest;
  };
  using Fields = std::vector<Field>;

  /// Returns the largest ‖u - u_old‖ / (dt ‖u‖), NaN where there is one, and sets `reached`. A field that stays zero
  /// has not changed. Each u_old becomes the difference. All ranks call it together.
  std::optional<double> test(const Fields &fields, double dt);

  bool reached = false;

private:
  double tolerance;
};
} // namespace adamant
