#pragma once

#include "base/exceptions.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/patterns.h>

#include <cmath>
#include <limits>
#include <string>

namespace adamant
{
/// The time steps of a run, and the intervals of its output. Step n ends at time n * step.
struct Schedule
{
  double       step                = 1.;
  unsigned int n_steps             = 0;
  unsigned int output_interval     = 0;    ///< steps between files; 0: none
  unsigned int statistics_interval = 1;    ///< steps between rows of statistics.csv
  bool         initial_output      = true; ///< whether files also show the state at time 0

  /// Returns the schedule of a stationary problem, whose only step ends at this time.
  static Schedule stationary(bool files, double time = 1.) { return {time, 1, files ? 1u : 0u, 1, false}; }

  /// Returns whether an event of every `interval`-th step and of the last one is due after this step.
  bool due(unsigned int interval, unsigned int step) const
  {
    return interval > 0 && (step % interval == 0 || step == n_steps);
  }
};

/// "End time" and "Time step", in any section. A program derives from the class and adds its own parameters, see
/// CubeParameters.
class TimeParameters : public dealii::ParameterAcceptor
{
public:
  /// `end` and `step` are the defaults; `section` is written as in ParameterAcceptor.
  TimeParameters(double end, double step, const std::string &section = "/Time stepping")
    : ParameterAcceptor(section)
    , end(end)
    , step(step)
    , section(section.substr(section.find_first_not_of('/')))
  {
    using namespace dealii::Patterns;
    add_parameter("End time", this->end, "T", prm, Double(0.));
    add_parameter("Time step", this->step, "dt; T has to be a multiple of it", prm, Double(1e-300));
  }

  double       end, step;
  unsigned int extrapolation_order = 0; ///< earlier steps that the solver's initial guess is extrapolated from
  unsigned int output_interval     = 0;

  /// Throws InputError where the end time is no multiple of the time step, or the number of steps is too large.
  void check() const
  {
    const double n = std::round(end / step);
    require(!(n > std::numeric_limits<unsigned int>::max()), section, "/Time step = ", step,
            " gives more steps than can be counted");
    require(!(std::abs(n * step - end) > 1e-8 * end), section, "/End time = ", end, " is not a multiple of ", section,
            "/Time step = ", step);
  }
  Schedule schedule() const { return {step, static_cast<unsigned int>(std::lround(end / step)), output_interval}; }

protected:
  /// Adds "Extrapolation order" with this default; its description names the `solver` whose initial guess is
  /// extrapolated.
  void add_extrapolation_order(unsigned int order, const std::string &solver = "solver")
  {
    extrapolation_order = order;
    add_parameter("Extrapolation order", extrapolation_order,
                  "Earlier steps that the " + solver + "'s initial guess is extrapolated from; 0: a zero guess", prm,
                  dealii::Patterns::Integer(0, 4));
  }
  /// Adds "Output interval" with this default.
  void add_output_interval(unsigned int interval)
  {
    output_interval = interval;
    add_parameter("Output interval", output_interval, "Steps between VTU files; 0: none", prm,
                  dealii::Patterns::Integer(0));
  }

private:
  std::string section;
};
} // namespace adamant
