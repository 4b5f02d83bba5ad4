#include "heat/steady_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>

namespace adamant
{
namespace
{
constexpr std::size_t least_steps = 20;
}

void SteadyValues::add(double time, double speed, const std::map<unsigned int, double> &fluxes)
{
  const std::size_t n = 1 + fluxes.size();
  times.push_back(time);
  history.push_back(speed);
  fastest = std::max(fastest, std::abs(speed));
  for (const auto &of_boundary : fluxes)
    {
      history.push_back(of_boundary.second);
      hottest = std::max(hottest, std::abs(of_boundary.second));
    }
  // What lies before the window is never read again, but for its last entry.
  const auto        begin  = std::upper_bound(times.begin(), times.end(), 0.9 * time);
  const std::size_t before = begin == times.begin() ? 0 : begin - times.begin() - 1;
  const std::size_t gone   = std::min(before, times.size() - std::min(times.size(), least_steps + 1));
  times.erase(times.begin(), times.begin() + gone);
  history.erase(history.begin(), history.begin() + gone * n);
}

void SteadyValues::add_to(RunRecord &record, double tolerance) const
{
  const bool steady = change() < tolerance;
  record["steady"]  = steady;
  if (!steady)
    std::cout
      << "the flow is not steady: over the last 20 steps and tenth of the time, the speed or a flux of heat has "
         "changed by "
      << change() << " of its size" << std::endl;
}

double SteadyValues::change() const
{
  if (times.size() <= least_steps || times.front() > 0.9 * times.back())
    return std::numeric_limits<double>::infinity();
  const std::size_t n    = history.size() / times.size();
  double            most = 0.;
  for (std::size_t k = 0; k < n; ++k)
    {
      double least = history[k], largest = history[k];
      for (std::size_t i = k; i < history.size(); i += n)
        {
          least   = std::min(least, history[i]);
          largest = std::max(largest, history[i]);
        }
      const double size = std::max({std::abs(least), std::abs(largest), 1e-4 * (k == 0 ? fastest : hottest)});
      most              = std::max(most, size > 0. ? (largest - least) / size : 0.);
    }
  return most;
}
} // namespace adamant
