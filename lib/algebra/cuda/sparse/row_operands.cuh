#pragma once

#include "algebra/cuda/runtime/check.cuh"

#include <typeinfo>
#include <utility>

// The operands that row functors read for the rows of a thread, and the end of the rows' operation. Both go row by row,
// or take all rows of a node together.

namespace adamant::cuda
{
/// The operands of a functor for the n rows of a thread.
template <class Functor, int n>
struct RowOperands
{
  decltype(std::declval<const Functor &>().fetch(0)) of_row[n];

  __device__ void fetch(const Functor &f, int row)
  {
#pragma unroll
    for (int c = 0; c < n; ++c)
      of_row[c] = f.fetch(row + c);
  }
};
template <class Functor, int n>
struct NodeOperands
{
  decltype(std::declval<const Functor &>().template fetch_node<n>(0)) of_node;

  __device__ void fetch(const Functor &f, int row) { of_node = f.template fetch_node<n>(row / n); }
};
struct NoOperands
{
  template <class Functor>
  __device__ void fetch(const Functor &, int)
  {}
};
template <class Functor, int n>
auto operands_of()
{
  if constexpr (!Functor::by_node)
    return RowOperands<Functor, n>();
  else if constexpr (n > 1)
    return NodeOperands<Functor, n>();
  else
    return NoOperands(); // the rows of a node meet before operands are read
}

/// Finishes the n rows of a thread, which are the rows of a node.
template <int n, class Finish, typename Number, class Operands>
__device__ void finish_rows_of_node(const Finish &finish, int row, const Number (&sum)[n], const Operands &operands)
{
  if constexpr (Finish::by_node)
    finish.finish_node(row / n, sum, operands.of_node);
  else
#pragma unroll
    for (int c = 0; c < n; ++c)
      finish(row + c, sum[c], operands.of_row[c]);
}

/// True where a row's operands are loaded beside the product. In double precision a node's operands have no room in
/// registers then.
template <class Operands>
constexpr bool fetches_early = sizeof(Operands) <= 80;

/// A call of for_each_row whose types are known by name alone: f(row, (A x)_row, operands) for all rows.
struct RowVisit
{
  Call                  name; ///< names the functor and x with their types, for messages
  const std::type_info &functor, &gather;
  const void           *f, *x;
};

/// A matrix on the GPU that stores no rows (RowlessMatrix). Its own kernels visit rows. They are compiled where the
/// matrix is, so that code which visits rows need not know the matrix.
template <typename Number>
class RowlessStorage : public MatrixStorage<Number>
{
public:
  /// Runs the kernel for the types of a call. Throws RunError that names the functor where there is none.
  virtual void visit(const RowVisit &call) const = 0;
};
} // namespace adamant::cuda
