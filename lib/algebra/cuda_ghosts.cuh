#pragma once

#include "algebra/cuda_backend.h"
#include "algebra/cuda_exchange.cuh"
#include "base/csr_matrix.h"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace adamant
{
/// The entries of a matrix in the columns that other ranks own, in device memory: compressed rows of those nodes (of node_size rows)
/// that have such entries; and the exchange of what they multiply.
template <typename Number>
struct CudaGhosts
{
  /// `A` has ghosts; `exchange` is that of its plan.
  CudaGhosts(const std::shared_ptr<CudaContext> &context, const CSRMatrix<double> &A, int node_size,
             const std::shared_ptr<CudaExchange<Number>> &exchange);

  std::shared_ptr<CudaExchange<Number>> exchange;
  int                                   n_nodes = 0, node_size = 1;
  CudaArray<int>                        nodes, row_start, column; // columns count from the first ghost
  CudaArray<Number>                     value;

  /// The same rows in the format of other matrices where they are many, as between a level and one that fewer ranks share; for products.
  std::unique_ptr<CudaMatrix<Number>> many;

  std::size_t bytes() const
  {
    return (nodes.size() + row_start.size() + column.size()) * sizeof(int) + value.size() * sizeof(Number) +
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

constexpr int lanes_of_ghost_row = 8;

/// finish.add(row, (G g)_row): what the ghosts add to a row's sum changes the results of an operation linearly.
template <typename Number, class Finish>
__global__ void ghost_kernel(int n_nodes, int node_size, const int *nodes, const int *row_start, const int *column,
                             const Number *value, Ghosts<Number> ghosts, Finish finish)
{
  wait_for_predecessor();
  const Number *g      = ghosts.wait();
  const int     thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int     place = thread / lanes_of_ghost_row, lane = thread % lanes_of_ghost_row;
  for (int c = 0; c < node_size; ++c)
    {
      const int row = place * node_size + c;
      Number    sum = 0;
      if (place < n_nodes)
        for (int k = row_start[row] + lane; k < row_start[row + 1]; k += lanes_of_ghost_row)
          sum += value[k] * __ldcg(g + column[k]);
#pragma unroll
      for (int offset = lanes_of_ghost_row / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
      if (place < n_nodes && lane == 0)
        finish.add(nodes[place] * node_size + c, sum);
    }
}

/// Ends the exchange and adds what the ghosts contribute to the operation that `finish` stands for.
template <typename Number, class Finish>
void add_ghosts(const CudaContext &context, const Call &name, const CudaGhosts<Number> &ghosts, const Finish &finish)
{
  const auto values = ghosts.exchange->finish(context);
  // At least a block, which waits for the neighbours.
  const int  blocks = std::max(1, blocks_for(static_cast<long>(lanes_of_ghost_row) * ghosts.n_nodes));
  const auto add    = [&](auto overlaps) {
    launch<decltype(overlaps)::value>(context, name, ghost_kernel<Number, Finish>, blocks, block_size, ghosts.n_nodes,
                                      ghosts.node_size, ghosts.nodes.data(), ghosts.row_start.data(),
                                      ghosts.column.data(), ghosts.value.data(), values, finish);
  };
  ghosts.exchange->follows_kernels() ? add(std::true_type()) : add(std::false_type());
}
} // namespace cuda
} // namespace adamant
