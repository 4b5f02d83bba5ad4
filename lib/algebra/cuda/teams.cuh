#pragma once

#include "algebra/cuda/check.cuh"
#include "algebra/teams.h"

namespace adamant
{
namespace cuda
{
/// A block's, see OneThread.
struct BlockTeam
{
  static constexpr bool one_thread = false;

  template <typename Action>
  __device__ void for_each(int n, const Action &action) const
  {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      action(i);
    __syncthreads();
  }
};

constexpr int largest_team = 512;

template <typename Functor>
__global__ void __launch_bounds__(largest_team) for_each_by_teams_kernel(Functor f)
{
  __shared__ typename Functor::Shared shared;
  wait_for_predecessor();
  f(blockIdx.x, shared, BlockTeam());
}

template <typename Functor>
void for_each_by_teams(const DeviceInterface &device, int n, int n_threads, const Functor &f)
{
  launch(static_cast<const Context &>(device), __PRETTY_FUNCTION__, for_each_by_teams_kernel<Functor>, n, n_threads, f);
}
} // namespace cuda
} // namespace adamant
