#pragma once

#include "algebra/cuda/peers/ranks.h"
#include "algebra/cuda/runtime/check.cuh"

#include <algorithm>

namespace adamant::cuda
{
/// Sums n values over the threads of a block of block_size threads, in a fixed order. Thread s < n gets sum s.
template <int n>
__device__ double block_sums(const double (&value)[n])
{
  constexpr int     warps = block_size / 32;
  __shared__ double of_warp[n][warps];
#pragma unroll
  for (int s = 0; s < n; ++s)
    {
      double sum = value[s];
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
      if (threadIdx.x % 32 == 0)
        of_warp[s][threadIdx.x / 32] = sum;
    }
  __syncthreads();
  double sum = 0;
  if (threadIdx.x < n)
    for (int warp = 0; warp < warps; ++warp)
      sum += of_warp[threadIdx.x][warp];
  return sum;
}

/// Replaces n values in shared memory by their sums over the ranks that have boxes, added in the ranks' order. All
/// threads of one block call it, equally often on all ranks. The buffers alternate: a rank that has the next sum has
/// read this one.
__device__ inline void sum_over_peers(const PeerBoxes &peers, int n, double *values)
{
  using Word = PeerBoxes::Word;
  __shared__ double of_rank[PeerBoxes::most_ranks][Context::max_sums];
  const unsigned    count  = *peers.count + 1;
  const int         buffer = count % 2 * PeerBoxes::most_ranks;
  for (int k = threadIdx.x; k < peers.n_ranks * 2 * n; k += blockDim.x)
    {
      const int      to = k / (2 * n), word = k % (2 * n);
      const double   value = values[word / 2];
      const unsigned half  = word % 2 == 0 ? __double2loint(value) : __double2hiint(value);
      Word          *place = peers.boxes[to] + (buffer + peers.rank) * PeerBoxes::words + word;
      asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(place), "l"(static_cast<Word>(count) << 32 | half)
                   : "memory");
    }
  for (int k = threadIdx.x; k < peers.n_ranks * n; k += blockDim.x)
    {
      const Word *place = peers.boxes[peers.rank] + (buffer + k / n) * PeerBoxes::words + 2 * (k % n);
      Word        low, high;
      do
        asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(place) : "memory");
      while (low >> 32 != count || high >> 32 != count);
      of_rank[k / n][k % n] = __hiloint2double(static_cast<int>(high), static_cast<int>(low));
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *peers.count = count;
  if (threadIdx.x >= n)
    return;
  double sum = 0;
  for (int rank = 0; rank < peers.n_ranks; ++rank)
    sum += of_rank[rank][threadIdx.x];
  values[threadIdx.x] = sum;
}

/// The place where the blocks of a reduction leave their sums. The last block to finish adds them up in block order,
/// whichever block that is, so that results repeat. There is no second kernel, and there are no atomic sums. Then the
/// block adds up over the ranks that it reaches.
struct Reduction
{
  double       *partial; // sum s of block b: partial[s * gridDim.x + b]
  unsigned int *finished;
  PeerBoxes     peers;

  explicit Reduction(const Context &context)
    : partial(context.partial_sums())
    , finished(context.finished_blocks())
  {
    if (context.ranks() != nullptr)
      peers = context.ranks()->peer_boxes();
  }

  /// Adds up the n values of all threads of all blocks, which call it together. In the last block, thread 0 gets the
  /// totals and true.
  template <int n>
  __device__ bool total(const double (&value)[n], double (&sum)[n]) const
  {
    static_assert(n <= Context::max_sums, "no room for the sums");
    __shared__ bool   last;
    __shared__ double totals[n];
    const double      of_block = block_sums(value);
    if (threadIdx.x < n)
      {
        partial[threadIdx.x * gridDim.x + blockIdx.x] = of_block;
        __threadfence();
      }
    __syncthreads();
    if (threadIdx.x == 0)
      {
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1; // wraps to 0 for the next reduction
        __threadfence();
      }
    __syncthreads();
    if (!last)
      return false;
    double mine[n] = {};
#pragma unroll 4
    for (int b = threadIdx.x; b < gridDim.x; b += block_size)
#pragma unroll
      for (int s = 0; s < n; ++s)
        mine[s] += __ldcg(partial + s * gridDim.x + b);
    const double total = block_sums(mine);
    if (threadIdx.x < n)
      totals[threadIdx.x] = total;
    __syncthreads();
    if (peers.n_ranks > 0)
      {
        sum_over_peers(peers, n, totals);
        __syncthreads();
      }
    if (threadIdx.x == 0)
      for (int s = 0; s < n; ++s)
        sum[s] = totals[s];
    return threadIdx.x == 0;
  }
};

/// Returns whether the sums of a Reduction still have to be added up over ranks.
inline bool leaves_sums_to_ranks(const Context &context)
{
  return context.ranks() != nullptr && context.ranks()->peer_boxes().n_ranks == 0;
}

/// Sums n values in device memory over all ranks where a Reduction leaves that to do.
inline void sum_over_ranks(const Context &context, int n, double *values)
{
  if (!leaves_sums_to_ranks(context))
    return;
  context.ranks()->sum(values, n, context.stream());
  context.separate_next_launch(); // behind work that is no kernel of the library
}

/// Returns the number of blocks of a reduction over n elements, `most` at most. It is a function of n alone, so that
/// results are reproducible.
inline int reduction_blocks_for(int n, int most = 1024)
{
  return std::max(1, std::min({blocks_for(n), most, Context::reduction_blocks}));
}
} // namespace adamant::cuda
