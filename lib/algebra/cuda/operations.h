#pragma once

#include "algebra/cuda/runtime/context.h"

#include <memory>
#include <utility>

namespace adamant::cuda
{
/// Returns a dense square matrix of n rows from row-major values in host memory (vectors/dense.cu).
template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_dense_matrix(Context &context, const Array<double> &row_major, int n);

using OperationsOfBoth = std::pair<std::unique_ptr<Operations<double>>, std::unique_ptr<Operations<float>>>;

/// Returns the makers of this library's matrices in both precisions (sparse/matrix.cu).
OperationsOfBoth operations_of_kernels(Context &context);

/// Returns the makers of MatrixFormat::cusparse's matrices in both precisions (libraries/cublas.cu). Throws RunError
/// where this library was built without cuSPARSE and cuBLAS, or where they are not found.
OperationsOfBoth operations_of_libraries(Context &context);
} // namespace adamant::cuda
