#include "frame/parameters/time_parameters.h"

#include "base/exceptions.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace adamant
{
TimeParameters::TimeParameters(double end, double step, const std::string &section)
  : ParameterAcceptor(section)
  , end(end)
  , step(step)
  , section(section.substr(section.find_first_not_of('/')))
{
  add_parameter("End time", this->end, "T", prm, dealii::Patterns::Double(0.));
  add_parameter("Time step", this->step, "dt; T has to be a multiple of it", prm, dealii::Patterns::Double(1e-300));
}

void TimeParameters::add_extrapolation_order(unsigned int order, const std::string &solver)
{
  extrapolation_order = order;
  add_parameter("Extrapolation order", extrapolation_order,
                "Earlier steps that the " + solver + "'s initial guess is extrapolated from; 0: a zero guess", prm,
                dealii::Patterns::Integer(0, 4));
}

void TimeParameters::add_output_interval(unsigned int interval)
{
  output_interval = interval;
  add_parameter("Output interval", output_interval, "Steps between VTU files; 0: none", prm,
                dealii::Patterns::Integer(0));
}

void TimeParameters::check() const
{
  const auto named = [this](const char *key, double value) {
    std::ostringstream text;
    text << section << '/' << key << " = " << value;
    return text.str();
  };
  const double n = std::round(end / step);
  if (n > std::numeric_limits<unsigned int>::max())
    throw InputError(named("Time step", step) + " gives more steps than can be counted");
  if (std::abs(n * step - end) > 1e-8 * end)
    throw InputError(named("End time", end) + " is not a multiple of " + named("Time step", step));
}

Schedule TimeParameters::schedule() const
{
  return {step, static_cast<unsigned int>(std::lround(end / step)), output_interval};
}
} // namespace adamant
