#pragma once

#include "algebra/cuda_backend.h"
#include "algebra/cuda_exchange.cuh"
#include "base/csr_matrix.h"
#include "base/exceptions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

namespace adamant
{
/// The entries of a matrix in the columns that other ranks own, in device memory: of the nodes (of node_size rows) that have such
/// entries, in compressed form; and the exchange of what they multiply.
template <typename Number>
struct CudaGhosts
{
  /// `A` has ghosts; `exchange` is that of its plan; `owned` is A without the ghosts.
  CudaGhosts(const std::shared_ptr<CudaContext> &context, const CSRMatrix<double> &A, int node_size,
             const std::shared_ptr<CudaExchange<Number>> &exchange, const CudaMatrix<Number> &owned);

  std::shared_ptr<CudaExchange<Number>> exchange;
  int                                   n_nodes = 0, node_size = 1;
  CudaArray<int>    nodes, start, column; // columns of any of the node's rows; they count from the first ghost
  CudaArray<Number> value;                // entry (c, k) of row c of a node and its k-th column: [k node_size + c]
  CudaArray<Number> sums;                 // what ghosts add to each row's sum; zero but in these nodes

  // The slices of `owned` in chunks, first those without such nodes.
  int            chunk_slices = 0, n_inner_chunks = 0, n_chunks = 0;
  CudaArray<int> chunks;

  /// The same rows in the format of other matrices where they are many, as between a level and one that fewer ranks share; for products.
  std::unique_ptr<CudaMatrix<Number>> many;

  std::size_t bytes() const
  {
    return (nodes.size() + start.size() + column.size() + chunks.size()) * sizeof(int) +
           (value.size() + sums.size()) * sizeof(Number) + (many ? many->bytes() : 0);
  }
};

namespace cuda
{
/// A vector of one component as an exchange sends it.
template <class Gather>
struct OneComponent
{
  Gather          x;
  __device__ auto operator()(int i, int /*component*/) const { return x(i); }
};

/// A matrix whose rows need nothing of other ranks: the blocks of a kernel take its slices in their order.
template <typename Number>
struct Alone
{
  static constexpr bool shared = false;
  int                   n_blocks_for(int n_slices, int slices_per_block, int /*rows*/, int /*threads*/)
  {
    return (n_slices + slices_per_block - 1) / slices_per_block;
  }
  template <int rows, class Gather>
  __device__ int first_slice(int slices_per_block, const Gather & /*x*/, bool & /*at_border*/) const
  {
    return blockIdx.x * slices_per_block;
  }
};

/// Which part a kernel has in a product with a matrix that has ghosts: all of it, where kernels write into other ranks' memory; else the
/// inner chunks, beside the exchange, and the others after it.
enum class Part
{
  all,
  inner,
  border
};

/// A matrix with ghosts, in one kernel: its first blocks send, those after them take the inner chunks; others sum what the ghosts add as
/// soon as they are there, for the last ones, which take the chunks at the border.
template <typename Number>
struct Border
{
  static constexpr bool shared = true;
  static constexpr int  lanes  = 8; ///< of a node, or of a row

  Sends<Number>  sends;
  Ghosts<Number> ghosts;
  int            n_nodes, node_size;
  const int     *nodes, *start, *column;
  const Number  *value;
  Number        *sums;
  const int     *chunks; // null: the slices in their order; the kernel only sends
  int            chunk_slices, n_inner_chunks, n_chunks;
  Part           part;
  int            n_inner_blocks = 0, n_summing_blocks = 0, n_border_blocks = 0;

  int n_summing_blocks_for(int rows, int threads) const // at least one, which waits for the neighbours
  {
    return std::max(1, blocks_for(static_cast<long>(lanes) * n_nodes * (rows > 1 ? 1 : node_size), threads));
  }

  int n_blocks_for(int n_slices, int slices_per_block, int rows, int threads)
  {
    if (chunks == nullptr)
      return sends.n_blocks + (n_slices + slices_per_block - 1) / slices_per_block;
    if (chunk_slices % slices_per_block != 0)
      throw RunError("chunks of " + std::to_string(chunk_slices) + " slices do not consist of blocks of " +
                     std::to_string(slices_per_block));
    n_inner_blocks   = n_inner_chunks * (chunk_slices / slices_per_block);
    n_border_blocks  = (n_chunks - n_inner_chunks) * (chunk_slices / slices_per_block);
    n_summing_blocks = part == Part::all ? n_summing_blocks_for(rows, threads) : 0;
    return part == Part::inner  ? n_inner_blocks :
           part == Part::border ? n_border_blocks :
                                  sends.n_blocks + n_inner_blocks + n_summing_blocks + n_border_blocks;
  }

  /// The first of the slices that this block takes, -1 where it has done something else.
  template <int rows, class Gather>
  __device__ int first_slice(int slices_per_block, const Gather &x, bool &at_border) const
  {
    if (sends.by_this_block(OneComponent<Gather>{x}, chunks != nullptr))
      return -1;
    int block = blockIdx.x - sends.n_blocks;
    if (chunks == nullptr)
      return block * slices_per_block;
    if (part == Part::border)
      block += n_inner_blocks;
    else if (block >= n_inner_blocks + n_summing_blocks)
      block -= n_summing_blocks;
    else if (block >= n_inner_blocks)
      {
        sum_ghosts<rows>(block - n_inner_blocks, true);
        return -1;
      }
    at_border                  = block >= n_inner_blocks;
    const int blocks_per_chunk = chunk_slices / slices_per_block;
    return chunks[block / blocks_per_chunk] * chunk_slices + block % blocks_per_chunk * slices_per_block;
  }

  /// Sums what the ghosts add to a few rows, those of a node together where rows > 1. The matrix is read before the waits.
  template <int rows>
  __device__ void sum_ghosts(int block, bool in_one_kernel) const
  {
    static_assert(rows <= lanes, "a lane finishes one row");
    constexpr int held = rows == 1 ? 1 : 4;
    const int     thread = block * blockDim.x + threadIdx.x, group = thread / lanes, lane = thread % lanes,
              of_node = rows > 1 ? group : group / node_size, c = rows > 1 ? 0 : group % node_size;
    int       node = 0, begin = 0, end = 0, of_ghost[held];
    Number    entry[held][rows], sum[rows] = {};
    if (of_node < n_nodes)
      {
        node  = nodes[of_node];
        begin = start[of_node] + lane;
        end   = start[of_node + 1];
      }
    const auto load = [&](int k, Number(&entries)[rows]) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
        entries[r] = k < end ? value[static_cast<long>(k) * node_size + c + r] : Number(0);
      return k < end ? column[k] : -1;
    };
#pragma unroll
    for (int j = 0; j < held; ++j)
      of_ghost[j] = load(begin + j * lanes, entry[j]);
    wait_for_predecessor();
    const Number *g   = ghosts.wait(in_one_kernel);
    const auto    add = [&](int ghost, const Number(&entries)[rows]) {
      const Number g_i = ghost >= 0 ? __ldcg(g + ghost) : Number(0);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        sum[r] += entries[r] * g_i;
    };
#pragma unroll
    for (int j = 0; j < held; ++j)
      add(of_ghost[j], entry[j]);
    for (int k = begin + held * lanes; k < end; k += lanes)
      {
        const int ghost = load(k, entry[0]);
        add(ghost, entry[0]);
      }
    Number mine = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      {
#pragma unroll
        for (int offset = lanes / 2; offset > 0; offset /= 2)
          sum[r] += __shfl_xor_sync(0xffffffff, sum[r], offset);
        mine = lane == r ? sum[r] : mine;
      }
    if (of_node < n_nodes && lane < rows)
      sums[static_cast<long>(node) * node_size + c + lane] = mine;
    if (!in_one_kernel)
      return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && static_cast<int>(atomicAdd(sends.counters + have_summed, 1)) + 1 == n_summing_blocks &&
        n_border_blocks == 0)
      end_exchange();
  }

  /// All threads of a block at the border wait for the sums.
  __device__ void wait_for_sums() const
  {
    if (part != Part::all)
      return;
    if (threadIdx.x == 0)
      {
        while (static_cast<int>(acquire(sends.counters + have_summed)) < n_summing_blocks)
          ;
        if (static_cast<int>(atomicAdd(sends.counters + have_taken, 1)) + 1 == n_border_blocks)
          end_exchange();
      }
    __syncthreads();
  }

  // By one thread, when no block needs the counters any more but those that may still send.
  __device__ void end_exchange() const
  {
    while (static_cast<int>(acquire(sends.counters + have_sent)) < sends.n_blocks)
      ;
    sends.counters[have_sent] = sends.counters[have_summed] = sends.counters[have_taken] = 0;
    sends.counters[begun] += 1;
  }
};

template <int rows, typename Number>
__global__ void ghost_sums_kernel(const Border<Number> border)
{
  border.template sum_ghosts<rows>(blockIdx.x, false);
}
} // namespace cuda
} // namespace adamant
