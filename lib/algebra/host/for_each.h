#pragma once

#include "algebra/functors/functor_types.h"

namespace adamant
{
namespace host
{
/// Returns the number of threads for a loop over n elements; short loops are not worth waking threads for.
inline int threads_for(int n_threads, int n)
{
  return n < 4096 ? 1 : n_threads;
}

/// Calls f(i), or f.store(i, f.value(i)) of an elementwise functor, for 0 <= i < n.
template <typename Functor>
void for_each(int n_threads, int n, const Functor &f)
{
  if constexpr (IsElementwise<Functor>::value)
    {
#pragma omp parallel for simd num_threads(threads_for(n_threads, n)) schedule(static)
      for (int i = 0; i < n; ++i)
        f.store(i, f.value(i));
    }
  else
    {
#pragma omp parallel for num_threads(threads_for(n_threads, n)) schedule(static)
      for (int i = 0; i < n; ++i)
        f(i);
    }
}
} // namespace host

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
