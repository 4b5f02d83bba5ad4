#pragma once

#include "base/run_record.h"

#include <map>
#include <vector>

namespace adamant
{
/// Finds out whether numbers that describe a flow in time have become steady. They are when none of them has changed by
/// more than a tolerance, relative to its size, over 20 steps and over a tenth of the time. A size is at least 1e-4 of
/// the largest speed or flux so far, as what is left of a flow that decays is noise of solvers. The change of one step
/// says little: short steps hide slow modes.
class SteadyValues
{
public:
  /// Adds the speed and the fluxes of heat of a time, by boundary. Boundaries stay, and times ascend.
  void add(double time, double speed, const std::map<unsigned int, double> &fluxes);
  /// Returns the largest relative change over the last 20 steps and tenth of the time; infinite in the first ones.
  double change() const;

  /// Says in the record whether the run ended at rest, within the tolerance, and prints where it did not.
  void add_to(RunRecord &record, double tolerance) const;

  /// Saves or loads the numbers, as State has it.
  template <class State>
  void serialize(State &state)
  {
    state.scalar(times);
    state.scalar(history);
    state.scalar(fastest);
    state.scalar(hottest);
  }

  std::vector<double> times, history;             ///< numbers of one time after the other
  double              fastest = 0., hottest = 0.; ///< the largest speed and flux so far
};
} // namespace adamant
