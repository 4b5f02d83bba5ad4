#include "algebra/cuda/operations.h"
#include "algebra/cuda/runtime/check.cuh"

#include <memory>
#include <string>
#include <utility>

namespace adamant::cuda
{
namespace
{
constexpr int numbers = 4, at_once = 4, warp_step = 32 * numbers; // of a load; loads under way together; of a warp

/// Several warps share a row, so that all of it is under way before the vector is known: rows are padded to be read
/// four numbers at once.
template <typename Number>
__global__ void gemv_kernel(int n, int row_length, int warps_per_row, Number alpha, const Number *A, const Number *x,
                            Number beta, Number *y)
{
  let_successor_start();
  constexpr int     warps = block_size / 32;
  __shared__ Number of_warp[warps];
  const int         warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % warps_per_row;
  const int         row   = blockIdx.x * (warps / warps_per_row) + warp / warps_per_row;
  const int         begin = warp_step * part + numbers * lane, step = warp_step * warps_per_row;
  const Number     *values = A + static_cast<long>(row) * row_length;
  Number            a[at_once][numbers];
  const auto        load = [&](int first) {
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      if (const int j = first + u * step; row < n && j < n)
#pragma unroll
        for (int i = 0; i < numbers; i += 16 / sizeof(Number))
          *reinterpret_cast<int4 *>(a[u] + i) = __ldg(reinterpret_cast<const int4 *>(values + j + i));
  };
  load(begin);
  wait_for_predecessor();
  Number sum = 0;
  for (int first = begin; row < n && first < n; first += at_once * step)
    {
      if (first > begin)
        load(first);
#pragma unroll
      for (int u = 0; u < at_once; ++u)
#pragma unroll
        for (int i = 0; i < numbers; ++i)
          if (const int j = first + u * step + i; j < n)
            sum += a[u][i] * x[j];
    }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0)
    of_warp[warp] = sum;
  __syncthreads();
  if (row >= n || part > 0 || lane > 0)
    return;
  for (int other = 1; other < warps_per_row; ++other)
    sum += of_warp[warp + other];
  y[row] = beta == Number(0) ? alpha * sum : alpha * sum + beta * y[row];
}

/// The values are written before a product that follows may load them.
template <typename Number>
__global__ void pad_kernel(int n, int row_length, const double *row_major, Number *value)
{
  wait_and_hold_successors();
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n)
    value[static_cast<long>(i) * row_length + j] = static_cast<Number>(row_major[static_cast<long>(i) * n + j]);
}

/// Dense square matrix in device memory, row-major; rows are padded to multiples of 4 numbers.
template <typename Number>
class DenseMatrix : public MatrixStorage<Number>
{
public:
  DenseMatrix(std::shared_ptr<Context> context_, const Array<double> &row_major, int n)
    : context(std::move(context_))
    , row_length((n + 3) / 4 * 4)
    , value(context->memory_of_device(), std::size_t(n) * row_length, "dense matrices")
  {
    this->n_rows = this->n_cols = n;
    update_dense(row_major);
  }

  void multiply(Number a, const Number *x, Number b, Number *y) const override
  {
    const int n             = this->n_rows;
    int       warps_per_row = 1;
    while (at_once * warps_per_row * warp_step < n && 32 * warps_per_row < block_size)
      warps_per_row *= 2;
    launch(*context, "dense product", gemv_kernel<Number>, blocks_for(32L * n * warps_per_row), block_size, n,
           row_length, warps_per_row, a, value.data(), x, b, y);
  }
  void update_dense(const Array<double> &row_major) override
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
  void update_dense_values(const double *row_major) override
  {
    launch_writer(*context, "values of a dense matrix", pad_kernel<Number>,
                  dim3(blocks_for(this->n_rows, 128), this->n_rows), 128, this->n_rows, row_length, row_major,
                  value.data());
  }
  std::size_t bytes() const override
  {
    return value.size() * sizeof(Number);
  }
  std::string format() const override
  {
    return "dense, " + std::to_string(this->n_rows) + " rows";
  }

private:
  std::shared_ptr<Context> context;
  int                      row_length;
  DeviceArray<Number>      value;
};
} // namespace

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_dense_matrix(Context &context, const Array<double> &row_major, int n)
{
  return std::make_shared<DenseMatrix<Number>>(context.shared_from_this(), row_major, n);
}

template std::shared_ptr<MatrixStorage<double>> make_dense_matrix(Context &, const Array<double> &, int);
template std::shared_ptr<MatrixStorage<float>>  make_dense_matrix(Context &, const Array<double> &, int);
} // namespace adamant::cuda
