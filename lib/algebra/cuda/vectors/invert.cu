// The inverse of a dense matrix.

#include "algebra/cuda/runtime/check.cuh"
#include "base/exceptions.h"

#include <string>

namespace adamant::cuda
{
namespace
{
constexpr int pivot_threads = 1024, most_rows = 8192;

// Step k of Gauss-Jordan elimination, by one block: exchanges row k with that of the largest entry of column k from
// there on, scales it, and sets column k aside.
__global__ void pivot_kernel(int n, int k, double *a, double *column, int *pivot)
{
  __shared__ double largest[pivot_threads];
  __shared__ int    row[pivot_threads];
  wait_for_predecessor();
  const int  thread = threadIdx.x;
  const long width  = n;
  double     most   = -1;
  int        at     = k;
  for (int i = k + thread; i < n; i += pivot_threads)
    if (const double size = fabs(a[i * width + k]); size > most)
      {
        most = size;
        at   = i;
      }
  largest[thread] = most;
  row[thread]     = at;
  __syncthreads();
  for (int half = pivot_threads / 2; half > 0; half /= 2)
    {
      // Of equal ones the first, whatever the order.
      if (thread < half && (largest[thread + half] > largest[thread] ||
                            (largest[thread + half] == largest[thread] && row[thread + half] < row[thread])))
        {
          largest[thread] = largest[thread + half];
          row[thread]     = row[thread + half];
        }
      __syncthreads();
    }
  const int    p       = row[0];
  const double inverse = 1. / a[p * width + k];
  __syncthreads();
  for (int j = thread; j < n; j += pivot_threads)
    {
      const double of_pivot = a[p * width + j];
      a[p * width + j]      = a[k * width + j];
      a[k * width + j]      = j == k ? inverse : of_pivot * inverse;
    }
  __syncthreads();
  for (int i = thread; i < n; i += pivot_threads)
    column[i] = a[i * width + k];
  if (thread == 0)
    pivot[k] = p;
}

// All other rows of step k.
__global__ void eliminate_kernel(int n, int k, double *a, const double *column)
{
  wait_for_predecessor();
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n || i == k)
    return;
  const long   width = n;
  const double old   = j == k ? 0. : a[i * width + j];
  a[i * width + j]   = old - column[i] * a[k * width + j];
}

// Rows of the matrix were exchanged: so are columns of the inverse. Column j of it is column order[j] of the result.
__global__ void order_kernel(int n, const int *pivot, int *order)
{
  __shared__ int in_block[most_rows];
  wait_for_predecessor();
  for (int j = threadIdx.x; j < n; j += pivot_threads)
    {
      in_block[j] = j;
      order[j]    = pivot[j];
    }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = n - 1; k >= 0; --k)
      {
        const int p = order[k], value = in_block[k];
        in_block[k] = in_block[p];
        in_block[p] = value;
      }
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += pivot_threads)
    order[j] = in_block[j];
}

__global__ void exchange_columns_kernel(int n, const double *from, const int *order, double *to)
{
  wait_for_predecessor();
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n)
    to[static_cast<long>(i) * n + j] = from[static_cast<long>(i) * n + order[j]];
}
} // namespace

void Context::invert(double *a, int n)
{
  if (n > most_rows)
    throw RunError("a dense matrix of " + std::to_string(n) + " rows is inverted on a GPU; at most " +
                   std::to_string(most_rows) + " can be");
  const std::size_t   n_entries = static_cast<std::size_t>(n) * n;
  const auto         &memory    = memory_of_device();
  const dim3          blocks(blocks_for(n, 128), n);
  DeviceArray<double> column(memory, n, "conversion"), result(memory, n_entries, "conversion");
  DeviceArray<int>    pivot(memory, n, "conversion"), order(memory, n, "conversion");
  for (int k = 0; k < n; ++k)
    {
      launch(*this, "pivot of a dense matrix", pivot_kernel, 1, pivot_threads, n, k, a, column.data(), pivot.data());
      launch(*this, "elimination in a dense matrix", eliminate_kernel, blocks, 128, n, k, a, column.data());
    }
  launch(*this, "order of columns", order_kernel, 1, pivot_threads, n, pivot.data(), order.data());
  launch(*this, "exchange of columns", exchange_columns_kernel, blocks, 128, n, a, order.data(), result.data());
  check(cudaMemcpyAsync(a, result.data(), n_entries * sizeof(double), cudaMemcpyDeviceToDevice, stream()),
        "cudaMemcpyAsync", a, result.data(), n_entries * sizeof(double), "on the device");
  synchronize();
}
} // namespace adamant::cuda
