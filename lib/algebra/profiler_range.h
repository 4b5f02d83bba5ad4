#pragma once

#include <string>

namespace adamant
{
/// Names the operations during its life for profilers that read NVTX (Nsight Systems and Compute); ranges may nest. It
/// costs next to nothing without a profiler, and nothing in programs without CUDA. Where a recorded graph is replayed,
/// the ranges of its operations are not seen again. ADAMANT_CUDA_GRAPHS=0 in the environment makes the device launch
/// the operations one by one.
class ProfilerRange
{
public:
  explicit ProfilerRange(const std::string &name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange &)            = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;
};
} // namespace adamant
