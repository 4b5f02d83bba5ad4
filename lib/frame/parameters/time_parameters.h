#pragma once

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// The time steps of a run, and the intervals of its output. Step n ends at time n * step.
struct Schedule
{
  double       step                = 1.;
  unsigned int n_steps             = 0;
  unsigned int output_interval     = 0; ///< steps between files; 0: none
  unsigned int statistics_interval = 1; ///< steps between rows of statistics.csv

  /// Returns whether an event of every `interval`-th step and of the last one is due after this step.
  bool due(unsigned int interval, unsigned int step) const
  {
    return interval > 0 && (step % interval == 0 || step == n_steps);
  }
};

/// "End time" and "Time step", in any section. A program derives from the class, or has it as a member, and adds its
/// own parameters:
///
///   struct Time : adamant::TimeParameters
///   {
///     std::string scheme = "backward_euler";
///     Time() : adamant::TimeParameters(2., 0.02)
///     {
///       add_extrapolation_order(2);
///       add_output_interval(10);
///       add_parameter("Scheme", scheme, ...);
///     }
///   };
class TimeParameters : public dealii::ParameterAcceptor
{
public:
  /// `end` and `step` are the defaults; `section` is written as in ParameterAcceptor.
  TimeParameters(double end, double step, const std::string &section = "/Time stepping");

  double       end, step;
  unsigned int extrapolation_order = 0; ///< earlier steps that the solver's initial guess is extrapolated from
  unsigned int output_interval     = 0;

  /// Throws InputError where the end time is no multiple of the time step, or the number of steps is too large.
  void     check() const;
  Schedule schedule() const;

protected:
  /// Adds "Extrapolation order" with this default; its description names the `solver` whose initial guess is
  /// extrapolated.
  void add_extrapolation_order(unsigned int order, const std::string &solver = "solver");
  /// Adds "Output interval" with this default.
  void add_output_interval(unsigned int interval);

private:
  std::string section;
};
} // namespace adamant
