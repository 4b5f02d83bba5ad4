#pragma once

#include "algebra/device.h"

#include <memory>

namespace adamant
{
/// The threads that work on one element together, as a functor of for_each_by_teams sees them. Here it is one alone, on
/// a GPU the threads of a block (algebra/cuda/vectors/for_each.cuh).
struct OneThread
{
  static constexpr bool one_thread = true;

  /// The values that the thread of each i keeps from one step to the next.
  template <typename T, int most>
  struct Kept
  {
    T &operator[](int i) { return of_each()[i]; }

  private:
    static T *of_each()
    {
      static thread_local const auto memory = std::make_unique<T[]>(most); // may be larger than a thread's stack
      return memory.get();
    }
  };

  /// Runs a step: calls action(i) for 0 <= i < n, in any order. All threads see its writes afterwards.
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
void for_each_by_teams(const DeviceInterface &device, int n, int team_size, const Functor &f);
} // namespace cuda

/// Calls f(i, shared, kept, team) for 0 <= i < n, in any order. For each i, team_size threads, a multiple of 32, work
/// together, step by step (OneThread::for_each). `shared`, a Functor::Shared of at most 99 KiB for each team, takes
/// numbers from step to step and thread to thread; its first content is undefined. `kept` has a Functor::Kept for each
/// i < team_size. Before, f.fetch(i, kept, team) loads data that only functors with `writes_matrix` write. On the host
/// a team is one thread. A multiprocessor of a GPU has registers for Functor::least_teams teams.
template <typename Functor>
void for_each_by_teams(const Device &device, int n, int team_size, const Functor &f)
{
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::for_each_by_teams(device.interface(), n, team_size, f);
#pragma omp parallel for num_threads(device.interface().n_threads()) schedule(static) if (n > 1)
  for (int i = 0; i < n; ++i)
    {
      typename Functor::Shared                                                shared;
      typename OneThread::Kept<typename Functor::Kept, Functor::largest_team> kept;
      f.fetch(i, kept, OneThread());
      f(i, shared, kept, OneThread());
    }
}
} // namespace adamant
