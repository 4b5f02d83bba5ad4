#pragma once

#include "algebra/cuda_check.cuh"

namespace adamant
{
namespace cuda
{
/// Sums one value of each thread of a block of block_size threads, in a fixed order; the result is thread 0's.
__device__ inline double block_sum(double value)
{
  __shared__ double warp_sums[block_size / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0)
    warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (int warp = 0; warp < block_size / 32; ++warp)
      sum += warp_sums[warp];
  __syncthreads();
  return sum;
}

/// Where the blocks of a reduction leave their sums. The last block to finish adds them up in block order, so that the
/// result does not depend on which one that is: no second kernel, no atomic sums.
struct Reduction
{
  double       *partial; // sum s of block b: partial[s * gridDim.x + b]
  unsigned int *finished;

  explicit Reduction(const CudaContext &context)
    : partial(context.partial_sums())
    , finished(context.finished_blocks())
  {}

  /// All threads of all blocks call it with their n values; in the last block, thread 0 gets the totals and true.
  template <int n>
  __device__ bool total(const double (&value)[n], double (&sum)[n]) const
  {
    static_assert(n <= CudaContext::max_sums, "no room for the sums");
    __shared__ bool last;
#pragma unroll
    for (int s = 0; s < n; ++s)
      {
        const double of_block = block_sum(value[s]);
        if (threadIdx.x == 0)
          partial[s * gridDim.x + blockIdx.x] = of_block;
      }
    if (threadIdx.x == 0)
      {
        __threadfence();
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1; // wraps to 0 for the next reduction
        __threadfence();
      }
    __syncthreads();
    if (!last)
      return false;
#pragma unroll
    for (int s = 0; s < n; ++s)
      {
        double mine = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += block_size)
          mine += __ldcg(partial + s * gridDim.x + b);
        sum[s] = block_sum(mine);
      }
    return threadIdx.x == 0;
  }
};

/// The blocks of a reduction over n elements: a function of n alone, so that results are reproducible.
inline int reduction_blocks_for(int n)
{
  const int blocks = blocks_for(n);
  return blocks < 1 ? 1 : blocks < CudaContext::reduction_blocks ? blocks : CudaContext::reduction_blocks;
}
} // namespace cuda
} // namespace adamant
