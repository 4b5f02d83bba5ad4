#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/teams.h"

namespace adamant
{
namespace cuda
{
/// The threads of a block; see OneThread.
struct BlockTeam
{
  static constexpr bool one_thread = false;

  template <typename T, int most>
  struct Kept
  {
    T             own;
    __device__ T &operator[](int) { return own; }
  };

  template <typename Action>
  __device__ void for_each(int n, const Action &action) const
  {
    if (static_cast<int>(threadIdx.x) < n)
      action(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};

template <typename Functor>
__global__ void __launch_bounds__(Functor::largest_team, 1) for_each_by_teams_kernel(Functor f)
{
  __shared__ typename Functor::Shared                                     shared;
  typename BlockTeam::Kept<typename Functor::Kept, Functor::largest_team> kept;
  if constexpr (Functor::writes_matrix)
    wait_and_hold_successors();
  else
    let_successor_start();
  f.fetch(blockIdx.x, kept, BlockTeam());
  if constexpr (!Functor::writes_matrix)
    wait_for_predecessor();
  f(blockIdx.x, shared, kept, BlockTeam());
}

template <typename Functor>
void for_each_by_teams(const DeviceInterface &device, int n, int team_size, const Functor &f)
{
  const auto &context = static_cast<const Context &>(device);
  if constexpr (Functor::writes_matrix)
    launch_writer(context, __PRETTY_FUNCTION__, for_each_by_teams_kernel<Functor>, n, team_size, f);
  else
    launch(context, __PRETTY_FUNCTION__, for_each_by_teams_kernel<Functor>, n, team_size, f);
}
} // namespace cuda
} // namespace adamant
