#include "algebra/cuda/dense.h"

#include "algebra/cuda/check.cuh"
#include "base/exceptions.h"

#include <utility>

namespace adamant
{
namespace cuda
{
namespace
{
/// One warp a row; rows are padded so that they are read four numbers at once.
template <typename Number>
__global__ void gemv_kernel(int n, int row_length, Number alpha, const Number *A, const Number *x, Number beta,
                            Number *y)
{
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  wait_for_predecessor();
  if (row >= n)
    return;
  Number sum = 0;
  for (int j = 4 * lane; j < n; j += 128)
    {
      Number a[4] = {};
#pragma unroll
      for (int i = 0; i < 4; i += 16 / sizeof(Number))
        *reinterpret_cast<int4 *>(a + i) =
          *reinterpret_cast<const int4 *>(A + static_cast<long>(row) * row_length + j + i);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (j + i < n)
          sum += a[i] * x[j + i];
    }
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0)
    y[row] = beta == Number(0) ? alpha * sum : alpha * sum + beta * y[row];
}

template <typename Number>
__global__ void pad_kernel(int n, int row_length, const double *row_major, Number *value)
{
  wait_for_predecessor();
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n)
    value[static_cast<long>(i) * row_length + j] = static_cast<Number>(row_major[static_cast<long>(i) * n + j]);
}
} // namespace

template <typename Number>
DenseMatrix<Number>::DenseMatrix(std::shared_ptr<Context> context_, const Array<double> &row_major, int n)
  : context(std::move(context_))
  , row_length((n + 3) / 4 * 4)
{
  this->n_rows = this->n_cols = n;
  value = DeviceArray<Number>(context->memory_of_device(), std::size_t(n) * row_length, "dense matrices");
  update_dense(row_major);
}

template <typename Number>
void DenseMatrix<Number>::update_dense(const Array<double> &row_major)
{
  const int     n = this->n_rows;
  Array<Number> padded(value.size());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < row_length; ++j)
      padded[static_cast<std::size_t>(i) * row_length + j] =
        j < n ? static_cast<Number>(row_major[static_cast<std::size_t>(i) * n + j]) : Number(0);
  context->upload(value.data(), padded.data(), padded.size() * sizeof(Number));
}

template <typename Number>
void DenseMatrix<Number>::update_dense_values(const double *row_major)
{
  launch(*context, "values of a dense matrix", pad_kernel<Number>, dim3(blocks_for(this->n_rows, 128), this->n_rows),
         128, this->n_rows, row_length, row_major, value.data());
}

template <typename Number>
void DenseMatrix<Number>::multiply(Number a, const Number *x, Number b, Number *y) const
{
  launch(*context, "dense product", gemv_kernel<Number>, blocks_for(32L * this->n_rows), block_size, this->n_rows,
         row_length, a, value.data(), x, b, y);
}

template class DenseMatrix<double>;
template class DenseMatrix<float>;
} // namespace cuda
} // namespace adamant
