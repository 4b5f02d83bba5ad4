#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/functors/functor_types.h"

namespace adamant::cuda
{
template <typename Functor>
__global__ void for_each_kernel(int n, Functor functor)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    functor(i);
}

template <int at_once, class Functor>
__global__ void elementwise_kernel(int n, Functor f)
{
  wait_for_predecessor();
  const int            first = blockIdx.x * blockDim.x * at_once + threadIdx.x;
  decltype(f.value(0)) value[at_once];
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    if (const int i = first + k * blockDim.x; i < n)
      value[k] = f.value(i);
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    if (const int i = first + k * blockDim.x; i < n)
      f.store(i, value[k]);
}

/// The lanes of a warp; see OneLane.
struct WarpLanes
{
  static constexpr int size = 32;

  __device__ int number() const { return threadIdx.x % size; }
  template <typename T>
  __device__ T from(T value, int lane) const
  {
    return __shfl_sync(0xffffffff, value, lane);
  }
  __device__ void wait() const { __syncwarp(); }
};

template <typename Functor>
__global__ void for_each_by_lanes_kernel(int n, Functor functor)
{
  wait_for_predecessor();
  const int i = static_cast<int>((static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x) / WarpLanes::size);
  if (i < n)
    functor(i, WarpLanes());
}

template <typename Functor>
void for_each_by_lanes(const DeviceInterface &device, int n, const Functor &f)
{
  launch(static_cast<const Context &>(device), __PRETTY_FUNCTION__, for_each_by_lanes_kernel<Functor>,
         blocks_for(static_cast<long>(n) * WarpLanes::size), block_size, n, f);
}

/// Calls f(i), or f.store(i, f.value(i)), for i < n. Of elementwise functors over long vectors, a thread takes several
/// elements, and does all loads first. With one element of 4 bytes for each thread, a third of the memory's bandwidth
/// would be idle.
template <typename Functor>
void for_each(const DeviceInterface &device, int n, const Functor &f)
{
  const auto &context = static_cast<const Context &>(device);
  const Call  name(__PRETTY_FUNCTION__);
  if constexpr (IsElementwise<Functor>::value)
    {
      constexpr int several = 4;
      if (n < 1 << 19)
        launch(context, name, elementwise_kernel<1, Functor>, blocks_for(n), block_size, n, f);
      else
        launch(context, name, elementwise_kernel<several, Functor>, blocks_for(n, several * block_size), block_size, n,
               f);
    }
  else
    launch(context, name, for_each_kernel<Functor>, blocks_for(n), block_size, n, f);
}

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
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      action(i);
    __syncthreads();
  }
};

template <typename Functor>
__global__ void __launch_bounds__(Functor::largest_team, Functor::least_teams) for_each_by_teams_kernel(Functor f)
{
  extern __shared__ double4 team_memory[];
  auto                     &shared = reinterpret_cast<typename Functor::Shared &>(team_memory);
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
  constexpr int bytes = sizeof(typename Functor::Shared), without_asking = 48 << 10;
  const auto   &context = static_cast<const Context &>(device);
  const auto    kernel  = for_each_by_teams_kernel<Functor>;
  if (bytes > without_asking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute",
          bytes);
  if constexpr (Functor::writes_matrix)
    launch_writer<bytes>(context, __PRETTY_FUNCTION__, kernel, n, team_size, f);
  else
    launch<true, bytes>(context, __PRETTY_FUNCTION__, kernel, n, team_size, f);
}
} // namespace adamant::cuda
