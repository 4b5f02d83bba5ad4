#pragma once

#include "algebra/cuda/runtime/check.cuh"

#include <typeinfo>

namespace adamant::cuda
{
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
