#pragma once

#include "algebra/cuda/runtime/context.h"

#include <memory>
#include <utility>

namespace adamant::cuda
{
/// Makes matrices for the kernels of this library.
template <typename Number>
class CudaOperations : public Operations<Number>
{
public:
  explicit CudaOperations(Context &context)
    : context(context)
  {}

  std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                       const double *changing) const override;
  std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const override;
  std::shared_ptr<MatrixStorage<Number>> create_cell_matrix(const CellMatrix &cells) const override;

protected:
  Context &context; // the owner of this object
};

/// Returns the makers of MatrixFormat::cusparse's matrices in both precisions (libraries/cublas.cu). Throws RunError
/// where this library was built without cuSPARSE and cuBLAS, or where they are not found.
std::pair<std::unique_ptr<Operations<double>>, std::unique_ptr<Operations<float>>>
operations_of_libraries(Context &context);
} // namespace adamant::cuda
