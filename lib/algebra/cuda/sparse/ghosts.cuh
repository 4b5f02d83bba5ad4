#pragma once

#include "algebra/cuda/peers/exchange.cuh"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

namespace adamant::cuda
{
template <typename Number>
class SparseMatrix;

/// A block of the matrix: number `values` of the stored blocks, for as many ghosts as a node has rows, from `column`
/// on.
struct alignas(8) GhostBlock
{
  int column, values;
};

/// The entries of a matrix in the columns that other ranks own, in device memory, and the exchange of the ghosts that
/// they multiply. Nodes (of node_size rows) with such entries have them block by block. Equal blocks are stored once:
/// few are different where the mesh is uniform along the border.
template <typename Number>
struct GhostMatrix
{
  /// Makes this part of `A`, which has ghosts; `exchange` is the exchange of its plan. Without `compressed`, `many`
  /// stays empty. `changing` is null, or A in device memory, where values will change. Each block is then stored, and
  /// `many` stays empty, too.
  GhostMatrix(const std::shared_ptr<Context> &context, const CSRMatrix<double> &A, int node_size,
              const std::shared_ptr<Exchange<Number>> &exchange, bool compressed, const RowsView *changing);

  void take_values(const Context &context, const double *changing); ///< takes new values of all entries of A

  /// Returns the rows of a stored block: the fewest of 1, 3 and 8 that hold a node's rows.
  static int rows_stored(int node_size) { return node_size == 1 ? 1 : node_size <= 3 ? 3 : 8; }
  /// Returns the distance from a block of rows_stored rows to the next, aligned for loads of 16 bytes, except for
  /// single numbers.
  __host__ __device__ static constexpr int stride(int rows)
  {
    constexpr int at_once = 16 / sizeof(Number);
    return rows == 1 ? 1 : (rows * rows + at_once - 1) / at_once * at_once;
  }

  std::shared_ptr<Exchange<Number>> exchange;
  int                               n_nodes = 0, node_size = 1, n_ghosts = 0;
  DeviceArray<int>                  nodes, start; // the nodes, and where their blocks begin
  DeviceArray<GhostBlock>           blocks;       // their columns count from the first ghost
  DeviceArray<Number> values; // entry (c, i) of block v: [v stride(rows) + i rows + c], zero outside of the node
  DeviceArray<int>    places; // places of changing values among the entries of A, or -1

  /// These rows in the format of other matrices, for products, where they are many. There are many between a level and
  /// a level that fewer ranks share.
  std::unique_ptr<SparseMatrix<Number>> many;

  std::size_t bytes() const
  {
    return (nodes.size() + start.size() + places.size()) * sizeof(int) + blocks.size() * sizeof(GhostBlock) +
           values.size() * sizeof(Number) + (many ? many->bytes() : 0);
  }
};

/// A vector of one component as an exchange sends it.
template <class Gather>
struct OneComponent
{
  Gather          x;
  __device__ auto operator()(int i, int /*component*/) const { return x(i); }
};

template <typename Number>
struct GhostView
{
  int               n_nodes, node_size, n_ghosts;
  const int        *nodes, *start;
  const GhostBlock *blocks;
  const Number     *values;
};

/// Adds the block times the ghosts g from its column on to `sum`; a block without a column adds nothing.
template <int rows, typename Number>
__device__ void add_block(const GhostView<Number> &A, const GhostBlock &block, const Number *g, Number (&sum)[rows])
{
  constexpr int      at_once = rows == 1 ? 1 : 16 / sizeof(Number), stride = GhostMatrix<Number>::stride(rows);
  alignas(16) Number entry[stride];
  const Number      *from = A.values + static_cast<long>(block.values) * stride;
#pragma unroll
  for (int e = 0; e < stride; e += at_once)
    if constexpr (rows == 1)
      entry[e] = __ldg(from + e);
    else
      *reinterpret_cast<int4 *>(entry + e) = __ldg(reinterpret_cast<const int4 *>(from + e));
#pragma unroll
  for (int i = 0; i < rows; ++i)
    {
      const bool   present = block.column >= 0 && i < A.node_size && block.column + i < A.n_ghosts;
      const Number g_i     = present ? __ldcg(g + block.column + i) : Number(0);
#pragma unroll
      for (int c = 0; c < rows; ++c)
        sum[c] += entry[i * rows + c] * g_i;
    }
}

/// Adds the ghosts' part to the sums of each node's rows, at most `rows`, which changes the results of an operation
/// linearly. Each node has some lanes. The first blocks' places and the results are read before the wait for the
/// ghosts.
template <int rows, int lanes, typename Number, class Finish>
__global__ void ghost_kernel(const GhostView<Number> A, const Ghosts<Number> ghosts, const Finish finish)
{
  static_assert(rows <= lanes, "a lane finishes one row");
  constexpr int held   = 2;
  const int     thread = blockIdx.x * blockDim.x + threadIdx.x, place = thread / lanes, lane = thread % lanes;
  int           node = 0, begin = 0, end = 0;
  GhostBlock    block[held];
  if (place < A.n_nodes)
    {
      node  = A.nodes[place];
      begin = A.start[place] + lane;
      end   = A.start[place + 1];
    }
  const auto load = [&](int first) {
#pragma unroll
    for (int j = 0; j < held; ++j)
      block[j] = first + j * lanes < end ? A.blocks[first + j * lanes] : GhostBlock{-1, 0};
  };
  load(begin);
  wait_for_predecessor();
  const bool finishes = place < A.n_nodes && lane < A.node_size;
  const auto fetch    = [&] {
    if constexpr (Finish::by_node)
      return finish.template result<rows>(node, lane);
    else
      return finish.result(node * A.node_size + lane);
  };
  decltype(fetch()) result{};
  if (finishes)
    result = fetch();
  const Number *g         = ghosts.wait();
  Number        sum[rows] = {};
  for (int first = begin; first < end;)
    {
#pragma unroll
      for (int j = 0; j < held; ++j)
        add_block(A, block[j], g, sum);
      first += held * lanes;
      load(first);
    }
#pragma unroll
  for (int c = 0; c < rows; ++c)
#pragma unroll
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      sum[c] += __shfl_xor_sync(0xffffffff, sum[c], offset);
  if (!finishes)
    return;
  if constexpr (Finish::by_node)
    finish.add(node, lane, sum, result);
  else
    {
      Number mine = sum[0];
#pragma unroll
      for (int c = 1; c < rows; ++c)
        mine = lane == c ? sum[c] : mine;
      finish.add(node * A.node_size + lane, mine, result);
    }
}

/// Ends the exchange and adds the ghosts' contribution to the operation that `finish` stands for.
template <typename Number, class Finish>
void add_ghosts(const Context &context, const Call &name, const GhostMatrix<Number> &ghosts, const Finish &finish)
{
  using std::integral_constant;
  if constexpr (Finish::by_node)
    if (finish.node_size != ghosts.node_size)
      throw RunError("a matrix of nodes of " + std::to_string(ghosts.node_size) + " rows does not go with blocks of " +
                     std::to_string(finish.node_size));
  const GhostView<Number> A{ghosts.n_nodes,      ghosts.node_size,     ghosts.n_ghosts,     ghosts.nodes.data(),
                            ghosts.start.data(), ghosts.blocks.data(), ghosts.values.data()};
  const auto              values      = ghosts.exchange->finish(context);
  const auto              launch_with = [&](auto rows, auto lanes, auto overlaps) {
    // There is at least a block, which waits for the neighbours.
    const int blocks = std::max(1, blocks_for(static_cast<long>(lanes.value) * ghosts.n_nodes));
    launch<overlaps.value>(context, name, ghost_kernel<rows.value, lanes.value, Number, Finish>, blocks, block_size, A,
                           values, finish);
  };
  const auto add = [&](auto rows, auto overlaps) {
    if constexpr (Finish::is_sum) // restriction has long rows
      if (ghosts.blocks.size() > 16 * static_cast<std::size_t>(ghosts.n_nodes))
        return launch_with(rows, integral_constant<int, 32>(), overlaps);
    launch_with(rows, integral_constant<int, 8>(), overlaps);
  };
  const auto add_nodes = [&](auto overlaps) {
    switch (ghosts.rows_stored(ghosts.node_size))
      {
        case 1: return add(integral_constant<int, 1>(), overlaps);
        case 3: return add(integral_constant<int, 3>(), overlaps);
        default: return add(integral_constant<int, 8>(), overlaps);
      }
  };
  ghosts.exchange->follows_kernels() ? add_nodes(std::true_type()) : add_nodes(std::false_type());
}
} // namespace adamant::cuda
