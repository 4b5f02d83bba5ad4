#pragma once

#include "algebra/cuda/vectors/reduction.cuh"

namespace adamant::cuda
{
/// The sums of a kernel, of which each block leaves its part. Every block of the next kernel adds the parts up
/// (`by_next`). This is quicker than leaving that to the last block, also with hundreds of parts. Where there are
/// ranks, the last block does it.
struct PartialSums
{
  Reduction reduction;
  double   *partial; // sum s of block b: partial[s gridDim.x + b]
  bool      by_next;

  static constexpr int most_sums = 64; // bound for by_next
  /// The share of a kernel in a context's room for partial sums: the parts of two kernels stand side by side.
  static constexpr int room = Context::max_sums * Context::reduction_blocks / 2;

  // Leaves this block's parts of n sums, which begin with number `first`. The threads may go on with other sums.
  template <int n>
  __device__ void leave(int first, int n_valid, const double (&value)[n]) const
  {
    const double of_block = block_sums(value);
    if (threadIdx.x < n_valid)
      partial[(first + threadIdx.x) * gridDim.x + blockIdx.x] = of_block;
    __syncthreads();
  }

  // Adds up the parts of n sums from `blocks` blocks, in a fixed order.
  __device__ void add_parts(int n, int blocks, double *sum) const
  {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int s = threadIdx.x / 32; s < n; s += warps)
      {
        double total = 0;
#pragma unroll 8
        for (int b = lane; b < blocks; b += 32)
          total += __ldcg(partial + s * blocks + b);
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
          total += __shfl_down_sync(0xffffffff, total, offset);
        if (lane == 0)
          sum[s] = total;
      }
  }

  // Ends the kernel that left the parts: writes the sums to global memory, unless the next kernel adds the parts up.
  __device__ void finish(int n, double *sum) const
  {
    if (by_next)
      return;
    __shared__ bool   last;
    __shared__ double some[Context::max_sums];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      {
        last = atomicInc(reduction.finished, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
      }
    __syncthreads();
    if (!last)
      return;
    add_parts(n, gridDim.x, sum);
    for (int first = 0; reduction.peers.n_ranks > 0 && first < n; first += Context::max_sums)
      {
        const int m = min(Context::max_sums, n - first);
        __syncthreads();
        if (threadIdx.x < m)
          some[threadIdx.x] = sum[first + threadIdx.x];
        __syncthreads();
        sum_over_peers(reduction.peers, m, some);
        if (threadIdx.x < m)
          sum[first + threadIdx.x] = some[threadIdx.x];
      }
  }

  // Returns, in the next kernel, n sums that `blocks` blocks have left: in global memory, or in `here`, which is
  // shared.
  __device__ const double *sums(int n, int blocks, const double *global, double *here) const
  {
    if (!by_next)
      return global;
    add_parts(n, blocks, here);
    __syncthreads();
    return here;
  }
};
} // namespace adamant::cuda
