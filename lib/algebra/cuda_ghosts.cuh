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
  /// `A` has ghosts; `exchange` is that of its plan.
  CudaGhosts(const std::shared_ptr<CudaContext> &context, const CSRMatrix<double> &A, int node_size,
             const std::shared_ptr<CudaExchange<Number>> &exchange);

  std::shared_ptr<CudaExchange<Number>> exchange;
  int                                   n_nodes = 0, node_size = 1;
  CudaArray<int>    nodes, start, column; // columns of any of the node's rows; they count from the first ghost
  CudaArray<Number> value;                // entry (c, k) of row c of a node and its k-th column: [k node_size + c]

  /// The same rows in the format of other matrices where they are many, as between a level and one that fewer ranks share; for products.
  std::unique_ptr<CudaMatrix<Number>> many;

  std::size_t bytes() const
  {
    return (nodes.size() + start.size() + column.size()) * sizeof(int) + value.size() * sizeof(Number) +
           (many ? many->bytes() : 0);
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

/// What the ghosts add to the sums of a node's rows, at most `most`, changes the results of an operation linearly. Each node has some
/// lanes. The matrix and the results are read before the wait for the ghosts.
template <int most, int lanes, typename Number, class Finish>
__global__ void ghost_kernel(int n_nodes, int node_size, const int *nodes, const int *start, const int *column,
                             const Number *value, Ghosts<Number> ghosts, Finish finish)
{
  static_assert(most <= lanes, "a lane finishes one row");
  constexpr int held   = most == 1 ? 1 : 4;
  const int     thread = blockIdx.x * blockDim.x + threadIdx.x, place = thread / lanes, lane = thread % lanes;
  int           node = 0, begin = 0, end = 0, of_ghost[held];
  Number        entry[held][most], sum[most] = {};
  if (place < n_nodes)
    {
      node  = nodes[place];
      begin = start[place] + lane;
      end   = start[place + 1];
    }
  const auto load = [&](int first) {
#pragma unroll
    for (int j = 0; j < held; ++j)
      {
        const int k = first + j * lanes;
        of_ghost[j] = k < end ? column[k] : -1;
#pragma unroll
        for (int c = 0; c < most; ++c)
          entry[j][c] = k < end && c < node_size ? value[static_cast<long>(k) * node_size + c] : Number(0);
      }
  };
  load(begin);
  wait_for_predecessor();
  const bool finishes = place < n_nodes && lane < node_size;
  const auto fetch    = [&] {
    if constexpr (Finish::exchange)
      return finish.template result<most>(node, lane);
    else
      return finish.result(node * node_size + lane);
  };
  decltype(fetch()) result{};
  if (finishes)
    result = fetch();
  const Number *g   = ghosts.wait();
  const auto    add = [&] {
#pragma unroll
    for (int j = 0; j < held; ++j)
      {
        const Number g_j = of_ghost[j] >= 0 ? __ldcg(g + of_ghost[j]) : Number(0);
#pragma unroll
        for (int c = 0; c < most; ++c)
          sum[c] += entry[j][c] * g_j;
      }
  };
  add();
  for (int first = begin + held * lanes; first < end; first += held * lanes)
    {
      load(first);
      add();
    }
#pragma unroll
  for (int c = 0; c < most; ++c)
#pragma unroll
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      sum[c] += __shfl_xor_sync(0xffffffff, sum[c], offset);
  if (!finishes)
    return;
  if constexpr (Finish::exchange)
    finish.add(node, lane, sum, result);
  else
    {
      Number mine = sum[0];
#pragma unroll
      for (int c = 1; c < most; ++c)
        mine = lane == c ? sum[c] : mine;
      finish.add(node * node_size + lane, mine, result);
    }
}

/// Ends the exchange and adds what the ghosts contribute to the operation that `finish` stands for.
template <typename Number, class Finish>
void add_ghosts(const CudaContext &context, const Call &name, const CudaGhosts<Number> &ghosts, const Finish &finish)
{
  using std::integral_constant;
  if constexpr (Finish::exchange)
    if (finish.node_size != ghosts.node_size)
      throw RunError("a matrix of nodes of " + std::to_string(ghosts.node_size) + " rows does not go with blocks of " +
                     std::to_string(finish.node_size));
  const auto values      = ghosts.exchange->finish(context);
  const auto launch_with = [&](auto most, auto lanes, auto overlaps) {
    // At least a block, which waits for the neighbours.
    const int blocks = std::max(1, blocks_for(static_cast<long>(lanes.value) * ghosts.n_nodes));
    launch<overlaps.value>(context, name, ghost_kernel<most.value, lanes.value, Number, Finish>, blocks, block_size,
                           ghosts.n_nodes, ghosts.node_size, ghosts.nodes.data(), ghosts.start.data(),
                           ghosts.column.data(), ghosts.value.data(), values, finish);
  };
  const auto add = [&](auto most, auto overlaps) {
    if constexpr (Finish::is_product) // restriction has long rows
      if (ghosts.column.size() > 48 * static_cast<std::size_t>(ghosts.n_nodes))
        return launch_with(most, integral_constant<int, 32>(), overlaps);
    launch_with(most, integral_constant<int, 8>(), overlaps);
  };
  const auto add_nodes = [&](auto overlaps) {
    if (ghosts.node_size == 1)
      add(integral_constant<int, 1>(), overlaps);
    else if (ghosts.node_size <= 3)
      add(integral_constant<int, 3>(), overlaps);
    else if (ghosts.node_size <= 8)
      add(integral_constant<int, 8>(), overlaps);
    else
      throw RunError("a matrix of nodes of " + std::to_string(ghosts.node_size) + " rows has ghosts; at most 8 can");
  };
  ghosts.exchange->follows_kernels() ? add_nodes(std::true_type()) : add_nodes(std::false_type());
}
} // namespace cuda
} // namespace adamant
