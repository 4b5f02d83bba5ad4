#pragma once

#include "algebra/device.h"

#include <memory>
#include <string>

namespace adamant
{
/// Compiles CUDA C++ with NVRTC and returns machine code for `architecture` ("sm_90"). NVRTC is looked for when this is
/// called, under its usual names or as the environment variable ADAMANT_NVRTC says. Products and sums are not
/// contracted, so that results are the host's but for the last digits of functions. It needs no GPU. Throws RunError
/// where NVRTC is missing, or with NVRTC's messages where it refuses the source.
std::string compile_cuda(const std::string &source, const std::string &architecture);

/// A kernel of a GPU that compile_cuda makes from CUDA C++ while the program runs.
class CompiledKernel
{
public:
  /// Compiles `source`, which defines
  ///
  ///   extern "C" __global__ void name(int n, const double *points, double t, double *values).
  ///
  /// Throws RunError where NVRTC is missing or refuses the source, the driver refuses the code, or the device is no
  /// GPU.
  CompiledKernel(const Device &device, const std::string &source, const std::string &name);

  /// Launches the kernel on the device's stream, with a thread for each i < n. Pointers are to device memory. The time
  /// t is fixed when this is called: do not record the call in a graph.
  void operator()(int n, const double *points, double t, double *values) const;

private:
  struct Module;
  std::shared_ptr<const Module> module;
};
} // namespace adamant
