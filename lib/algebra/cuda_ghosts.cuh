#pragma once

#include "algebra/cuda_backend.h"
#include "algebra/cuda_check.cuh"
#include "algebra/cuda_ranks.h"
#include "base/csr_matrix.h"
#include "base/exchange_plan.h"

#include <memory>
#include <vector>

namespace adamant
{
/// The entries of a matrix in the columns that other ranks own, in device memory: compressed rows of those nodes (of node_size rows)
/// that have such entries; and the exchange of what they multiply.
template <typename Number>
struct CudaGhosts
{
  /// `A` has ghosts. All ranks that exchange messages make it together: the first exchange connects them.
  CudaGhosts(const std::shared_ptr<CudaContext> &context, const CSRMatrix<double> &A, int node_size);

  std::shared_ptr<const ExchangePlan> plan;
  int                                 n_nodes = 0, node_size = 1;
  CudaArray<int>                      sent;                     // entries that other ranks read
  CudaArray<int>                      nodes, row_start, column; // columns count from the first ghost
  CudaArray<Number>                   value, outgoing, incoming;

  /// The same rows in the format of other matrices where they are many, as between a level and one that fewer ranks share; for products.
  std::unique_ptr<CudaMatrix<Number>> many;

  std::size_t bytes() const
  {
    return (sent.size() + nodes.size() + row_start.size() + column.size()) * sizeof(int) +
           (value.size() + outgoing.size() + incoming.size()) * sizeof(Number) + (many ? many->bytes() : 0);
  }
};

namespace cuda
{
template <typename Number, class Gather>
__global__ void pack_kernel(int n, const int *sent, Gather x, Number *outgoing)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    outgoing[i] = x(sent[i]);
}

/// Begins to send what other ranks read of the vector x; what follows on the stream runs beside.
template <typename Number, class Gather>
void start_exchange(const CudaContext &context, CudaGhosts<Number> &ghosts, const Gather &x)
{
  const int n = static_cast<int>(ghosts.sent.size());
  launch(context, "pack", pack_kernel<Number, Gather>, blocks_for(n), block_size, n, ghosts.sent.data(), x,
         ghosts.outgoing.data());
  context.ranks()->start(context.stream());
}

constexpr int lanes_of_ghost_row = 8;

/// finish.add(row, (G g)_row): what the ghosts add to a row's sum changes the results of an operation linearly.
template <typename Number, class Finish>
__global__ void ghost_kernel(int n_nodes, int node_size, const int *nodes, const int *row_start, const int *column,
                             const Number *value, const Number *g, Finish finish)
{
  wait_for_predecessor();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = thread / lanes_of_ghost_row, lane = thread % lanes_of_ghost_row;
  for (int c = 0; c < node_size; ++c)
    {
      const int row = place * node_size + c;
      Number    sum = 0;
      if (place < n_nodes)
        for (int k = row_start[row] + lane; k < row_start[row + 1]; k += lanes_of_ghost_row)
          sum += value[k] * g[column[k]];
#pragma unroll
      for (int offset = lanes_of_ghost_row / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
      if (place < n_nodes && lane == 0)
        finish.add(nodes[place] * node_size + c, sum);
    }
}

template <typename Number>
void finish_exchange(const CudaContext &context, CudaGhosts<Number> &ghosts)
{
  context.ranks()->finish(*ghosts.plan, ghosts.outgoing.data(), ghosts.incoming.data(), context.stream());
}

/// Adds what the ghosts contribute to the operation that `finish` stands for.
template <typename Number, class Finish>
void add_ghosts(const CudaContext &context, const Call &name, CudaGhosts<Number> &ghosts, const Finish &finish)
{
  launch<false>(context, name, ghost_kernel<Number, Finish>,
                blocks_for(static_cast<long>(lanes_of_ghost_row) * ghosts.n_nodes), block_size, ghosts.n_nodes,
                ghosts.node_size, ghosts.nodes.data(), ghosts.row_start.data(), ghosts.column.data(),
                ghosts.value.data(), ghosts.incoming.data(), finish);
}
} // namespace cuda
} // namespace adamant
