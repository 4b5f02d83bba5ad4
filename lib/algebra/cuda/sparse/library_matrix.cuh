#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/ghosts.cuh"
#include "algebra/functors/row_functors.h"
#include "base/exceptions.h"

#include <memory>
#include <string>
#include <type_traits>

// The use of row functors with a matrix whose product a library computes. The product is computed as a whole, into a
// vector, and a kernel then calls the functor for each row.

namespace adamant::cuda
{
template <typename Number>
class LibraryMatrix : public MatrixStorage<Number>
{
public:
  /// Returns A x in the columns that this rank owns: n_rows numbers in device memory, which stay until the next
  /// product.
  virtual const Number *product(const Number *x) const = 0;
  /// Returns device memory for the n_owned_cols numbers of a vector that a functor computes.
  virtual Number    *operand() const   = 0;
  virtual const int *row_start() const = 0; ///< n_rows + 1 numbers in device memory

  int                                  n_owned_cols = 0;
  std::shared_ptr<GhostMatrix<Number>> ghosts; ///< the entries in columns of other ranks; null if none
};

template <typename Number, class Gather>
__global__ void evaluate_kernel(int n, Gather x, Number *values)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = x(i);
}

template <typename Number, class Functor>
__global__ void finish_rows_kernel(int n_rows, const int *row_start, const Number *products, Functor f)
{
  wait_for_predecessor();
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n_rows && !(Functor::skips_empty && row_start[row] == row_start[row + 1]))
    f(row, products[row], f.fetch(row));
}

/// Finishes the rows of nodes; a block of threads has the rows of whole nodes.
template <typename Number, class Functor>
__global__ void finish_nodes_kernel(int n_rows, const Number *products, Functor f)
{
  __shared__ Number residuals[block_size];
  wait_for_predecessor();
  const int row = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x;
  if (row < n_rows)
    residuals[place] = f.residual(row, products[row]);
  __syncthreads();
  if (row < n_rows)
    f.finish_row(row, residuals + place - place % f.node_size);
}

/// Calls f(row, (A x)_row, operands) for all rows, then adds the contributions of other ranks' entries of x.
template <typename Number, class Gather, class Functor>
void finish_rows(const Context &context, const Call &name, const LibraryMatrix<Number> &A, const Gather &x,
                 const Functor &f)
{
  const Number *values = nullptr;
  if constexpr (std::is_same_v<Gather, Entries<Number>>)
    values = x.x;
  else
    {
      launch(context, name, evaluate_kernel<Number, Gather>, blocks_for(A.n_owned_cols), block_size, A.n_owned_cols, x,
             A.operand());
      values = A.operand();
    }
  if (A.ghosts)
    A.ghosts->exchange->send(context, OneComponent<Entries<Number>>{{values}});
  const Number *products = A.product(values);
  if constexpr (Functor::by_node)
    {
      if (f.node_size > block_size || A.n_rows % f.node_size != 0)
        throw RunError("a matrix of " + std::to_string(A.n_rows) + " rows does not go with blocks of " +
                       std::to_string(f.node_size));
      const int threads = block_size / f.node_size * f.node_size;
      launch(context, name, finish_nodes_kernel<Number, Functor>, blocks_for(A.n_rows, threads), threads, A.n_rows,
             products, f);
    }
  else
    launch(context, name, finish_rows_kernel<Number, Functor>, blocks_for(A.n_rows), block_size, A.n_rows,
           A.row_start(), products, f);
  if (A.ghosts)
    add_ghosts(context, name, *A.ghosts, f);
}
} // namespace adamant::cuda
