#pragma once

namespace adamant
{
/// What a functor of Device::for_each_by_lanes sees of the threads that work on one element together: here one alone,
/// on a GPU the 32 of a warp (algebra/cuda/for_each.cuh).
struct OneLane
{
  static constexpr int size = 1;

  int number() const { return 0; } ///< of this thread among them
  template <typename T>
  T from(T value, int) const
  {
    return value;
  }                    ///< the value that this lane has; all lanes call it together
  void wait() const {} ///< for what other lanes have written to memory
};
} // namespace adamant
