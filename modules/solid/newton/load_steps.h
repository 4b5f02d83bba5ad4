#pragma once

#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

namespace adamant
{
/// Steps of the load or of time. A step that fails is taken again with half its length. Two steps in a row with few
/// steps of Newton's method double the next one, up to the length of the first. Multiples of that length are ends of
/// steps whatever comes between, so that steps up to there do not depend on the end.
class LoadSteps
{
public:
  /// They go from t = 0 to this end; `what` names them in messages.
  LoadSteps(double length, double end, const std::string &what)
    : what(what)
    , most(length)
    , end(end)
    , length(length)
  {}

  /// Returns k times a length: 0.3, not the next number above it, for 3 times 0.1.
  static double multiple(double k, double length)
  {
    std::ostringstream digits;
    digits << std::setprecision(15) << k * length;
    const double rounded = std::stod(digits.str());
    return std::abs(rounded - k * length) < 3e-16 * rounded ? rounded : k * length;
  }

  /// Returns the end of the next step, which begins at this time.
  double next(double start) const
  {
    const double after = multiple(std::floor(start / most + 1e-6) + 1., most),
                 next  = start + length > after - 1e-6 * most ? after : start + length;
    return next > end - 1e-6 * most ? end : next;
  }
  /// Returns how many steps follow this time if none fails and all are quick: halved ones then grow again.
  unsigned int left(double time) const
  {
    require(time <= end + 1e-6 * most, "--restart: the checkpoint is of t = ", time, ", beyond the end time ", end);
    LoadSteps    ahead = *this;
    unsigned int n     = 0;
    for (; ahead.length < most && time < end - 1e-6 * most; ++n)
      {
        time = ahead.next(time);
        ahead.count(true);
      }
    return n + static_cast<unsigned int>(std::max(0., std::ceil((end - time) / most - 1e-6)));
  }

  /// Calls take(), which returns Newton's steps, for the step from `start` to `time`. Where it throws SolverError, it
  /// has changed no state, and the step is halved, at most 6 times. A step shorter than a ten-thousandth of the first
  /// one is not. `cause` returns a part of the message. Throws SolverError where that does not help; another load then
  /// begins with the length that the step had. An InputError, of data at this time, passes, too.
  void take(double start, double &time, const std::function<int()> &take, const std::function<std::string()> &cause)
  {
    const LoadSteps before = *this;
    for (halvings = 0;; ++halvings)
      try
        {
          count(take() <= few);
          return;
        }
      catch (const SolverError &error)
        {
          // A refused state says more than the method, which then finds no step.
          const std::string why = cause(), how = why.empty() ? std::string(": ") + error.what() : "";
          quick                 = 0;
          const bool short_step = time - start < least * most;
          if (halvings == most_halvings || short_step)
            {
              const std::string after = std::to_string(halvings) + " halvings";
              *this                   = before;
              throw SolverError(why + step_to(start, time) + " fails" +
                                (short_step ? ", and is far shorter than the first one" : " after " + after) +
                                last_state(start) + how);
            }
          length = 0.5 * (time - start);
          std::cout << "note: " << why << step_to(start, time) << " is taken again with half its length" << how
                    << std::endl;
          time = start + length;
        }
      catch (const InputError &error)
        {
          *this = before;
          throw InputError(error.what() + last_state(start));
        }
  }

  int halvings = 0; ///< of the last step

  template <class State>
  void serialize(State &state)
  {
    double usual = most;
    state.scalar(usual);
    state.scalar(length);
    state.scalar(quick);
    if (usual != most) // a restart has changed it
      *this = {most, end, what};
  }

private:
  void count(bool is_quick)
  {
    quick = is_quick ? quick + 1 : 0;
    if (quick < 2)
      return;
    length = std::min(2. * length, most);
    quick  = 0;
  }

  // Steps that are halved need more digits than residuals.
  static std::string text(double t)
  {
    std::ostringstream out;
    out << std::setprecision(8) << t;
    return out.str();
  }
  static std::string last_state(double t) { return "; the last state is that of t = " + text(t); }
  std::string        step_to(double start, double time) const
  {
    return "the " + what + " from t = " + text(start) + " to " + text(time);
  }

  static constexpr int    few = 5, most_halvings = 6;
  static constexpr double least = 1e-4; // of the first length, where steps become ever smaller

  std::string what;
  double      most, end, length; // most, length: of a step
  int         quick = 0;         // steps in a row that took few steps of Newton's method
};
} // namespace adamant
