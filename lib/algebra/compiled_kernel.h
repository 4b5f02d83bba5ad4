#pragma once

#include "algebra/device.h"

#include <memory>
#include <string>

namespace adamant
{
/// A kernel of a GPU that is compiled from CUDA C++ while the program runs, by NVRTC, which is looked for then: under
/// its usual names, or as the environment variable ADAMANT_NVRTC says. Products and sums are not contracted, so that
/// results are the host's but for the last digits of the functions.
class CompiledKernel
{
public:
  /// `source` defines extern "C" __global__ void name(int n, const double *points, double t, double *values). Throws
  /// RunError: NVRTC is missing or refuses the source, the driver refuses the code, or the device is no GPU.
  CompiledKernel(const Device &device, const std::string &source, const std::string &name);

  /// Launches it with a thread for each i < n on the device's stream; device memory. The time is fixed when this is
  /// called: do not record it in a graph.
  void operator()(int n, const double *points, double t, double *values) const;

private:
  struct Module;
  std::shared_ptr<const Module> module;
};
} // namespace adamant
