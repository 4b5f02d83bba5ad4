#pragma once

#include "algebra/device.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace poisson
{
/// Returns the median of the seconds that an action takes on the device. Of several runs the first one does not count,
/// as it may record graphs.
template <class Action>
double median_seconds(const adamant::Device &device, unsigned int repetitions, const Action &action)
{
  std::vector<double> times;
  for (unsigned int i = 0; i < (repetitions > 1 ? repetitions + 1 : 1); ++i)
    {
      device.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      action();
      device.synchronize();
      if (i > 0 || repetitions == 1)
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Returns the median of the seconds in which a right-hand side goes to the device and its solution comes back.
inline double seconds_of_transfer(const adamant::Device &device, unsigned int repetitions, adamant::Vector<double> &b,
                                  const adamant::Vector<double> &x)
{
  auto b_on_host = to_host(b), x_on_host = to_host(x);
  return median_seconds(device, repetitions, [&] {
    b.upload(b_on_host.data());
    x.download(x_on_host.data());
  });
}
} // namespace poisson
