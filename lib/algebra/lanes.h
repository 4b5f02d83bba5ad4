#pragma once

namespace adamant
{
/// The threads that work on one element together, as a functor of Device::for_each_by_lanes sees them. Here it is one
/// alone, on a GPU the 32 of a warp (algebra/cuda/vectors/for_each.cuh).
struct OneLane
{
  static constexpr int size = 1;

  int number() const { return 0; } ///< number of this thread among the lanes
  template <typename T>
  T from(T value, int) const
  {
    return value;
  }                    ///< returns the value that the given lane has; all lanes call it together
  void wait() const {} ///< waits until other lanes have written to memory
};
} // namespace adamant
