// The inverse of a dense matrix.

#include "algebra/cuda/runtime/check.cuh"
#include "base/exceptions.h"

#include <string>

namespace adamant::cuda
{
namespace
{
constexpr int pivot_threads = 1024, most_rows = 8192, most_of_one_block = 128;

// Step k of Gauss-Jordan elimination, by one block: exchanges row k with that of the largest entry of column k from
// there on, scales it, and sets column k aside.
__device__ void take_pivot(int n, int k, double *a, double *column, int *pivot)
{
  __shared__ double largest[pivot_threads];
  __shared__ int    row[pivot_threads];
  const int         thread = threadIdx.x;
  const long        width  = n;
  double            most   = -1;
  int               at     = k;
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

// An entry of another row of step k.
__device__ void eliminate(long width, int k, int i, int j, double *a, const double *column)
{
  const double old = j == k ? 0. : a[i * width + j];
  a[i * width + j] = old - column[i] * a[k * width + j];
}

// Rows of the matrix were exchanged: so are columns of the inverse, in row i.
__device__ void exchange_columns(long width, int i, double *a, const int *pivot)
{
  double *row = a + i * width;
  for (int k = static_cast<int>(width) - 1; k >= 0; --k)
    {
      const double value = row[k];
      row[k]             = row[pivot[k]];
      row[pivot[k]]      = value;
    }
}

__global__ void pivot_kernel(int n, int k, double *a, double *column, int *pivot)
{
  wait_for_predecessor();
  take_pivot(n, k, a, column, pivot);
}

__global__ void eliminate_kernel(int n, int k, double *a, const double *column)
{
  wait_for_predecessor();
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n && i != k)
    eliminate(n, k, i, j, a, column);
}

__global__ void exchange_columns_kernel(int n, double *a, const int *pivot)
{
  wait_for_predecessor();
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    exchange_columns(n, i, a, pivot);
}

// The inverse of a small matrix by one block, which launches nothing for each of the rows.
__global__ void small_inverse_kernel(int n, double *a)
{
  __shared__ double column[most_of_one_block];
  __shared__ int    pivot[most_of_one_block];
  wait_for_predecessor();
  for (int k = 0; k < n; ++k)
    {
      take_pivot(n, k, a, column, pivot);
      __syncthreads();
      for (int entry = threadIdx.x; entry < n * n; entry += pivot_threads)
        if (entry / n != k)
          eliminate(n, k, entry / n, entry % n, a, column);
      __syncthreads();
    }
  if (static_cast<int>(threadIdx.x) < n)
    exchange_columns(n, threadIdx.x, a, pivot);
}
} // namespace

void Context::invert(double *a, int n)
{
  if (n > most_rows)
    throw RunError("a GPU inverts at most " + std::to_string(most_rows) + " rows, not " + std::to_string(n));
  if (n <= most_of_one_block)
    return launch(*this, "inverse of a small dense matrix", small_inverse_kernel, 1, pivot_threads, n, a);
  const auto         &memory = memory_of_device();
  DeviceArray<double> column(memory, n, "conversion");
  DeviceArray<int>    pivot(memory, n, "conversion");
  for (int k = 0; k < n; ++k)
    {
      launch(*this, "pivot of a dense matrix", pivot_kernel, 1, pivot_threads, n, k, a, column.data(), pivot.data());
      launch(*this, "elimination in a dense matrix", eliminate_kernel, dim3(blocks_for(n, 128), n), 128, n, k, a,
             column.data());
    }
  launch(*this, "exchange of columns", exchange_columns_kernel, blocks_for(n, 32), 32, n, a, pivot.data());
  synchronize();
}
} // namespace adamant::cuda
