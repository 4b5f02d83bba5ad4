#pragma once

#include "algebra/device.h"

namespace adamant
{
/// What a functor of for_each_by_teams sees of the threads that work on one element together: here one alone, on a GPU
/// those of a block (algebra/cuda/teams.cuh).
struct OneThread
{
  static constexpr bool one_thread = true;

  /// action(i) for 0 <= i < n, in any order; what it has written is seen by all threads afterwards.
  template <typename Action>
  void for_each(int n, const Action &action) const
  {
    for (int i = 0; i < n; ++i)
      action(i);
  }
};

namespace cuda
{
template <typename Functor>
void for_each_by_teams(const DeviceInterface &device, int n, int n_threads, const Functor &f);
} // namespace cuda

/// f(i, shared, team) for 0 <= i < n, in any order, where a team of n_threads threads, a multiple of 32, works on each i
/// together: in steps team.for_each, between which numbers are passed on in `shared`, a Functor::Shared for each team
/// that holds anything at first. On the host a team is one thread.
template <typename Functor>
void for_each_by_teams(const Device &device, int n, int n_threads, const Functor &f)
{
#if ADAMANT_WITH_CUDA
  if (device.asynchronous())
    return cuda::for_each_by_teams(device.interface(), n, n_threads, f);
#endif
  (void)n_threads;
#pragma omp parallel for num_threads(device.interface().n_threads()) schedule(static) if (n > 1)
  for (int i = 0; i < n; ++i)
    {
      typename Functor::Shared shared;
      f(i, shared, OneThread());
    }
}
} // namespace adamant
