#pragma once

#include <string>

namespace adamant
{
/// Names what happens during its life, for profilers that read NVTX (Nsight Systems and Compute); nests. Costs next to nothing
/// without one, and nothing in programs without CUDA. Where a recorded graph is replayed, the ranges of its operations are
/// not seen again: ADAMANT_CUDA_GRAPHS=0 in the environment makes the backend launch them one by one.
class ProfilerRange
{
public:
#if ADAMANT_WITH_CUDA
  explicit ProfilerRange(const std::string &name);
  ~ProfilerRange();
#else
  explicit ProfilerRange(const std::string &) {}
  ~ProfilerRange() {}
#endif
  ProfilerRange(const ProfilerRange &)            = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;
};
} // namespace adamant
