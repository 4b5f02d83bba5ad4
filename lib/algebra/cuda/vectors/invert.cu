// The inverse of a dense matrix by Gauss-Jordan elimination in place, by panels of columns. A panel's steps are taken
// in its own columns. These then say how to change all others, which takes one product.

#include "algebra/cuda/runtime/check.cuh"
#include "base/exceptions.h"

#include <algorithm>
#include <string>

namespace adamant::cuda
{
namespace
{
constexpr int panel = 32, panel_threads = 1024, rows_of_thread = 8, most_rows = 8192;
using Key = unsigned long long; // a size, and a row in the last 13 bits

__device__ Key largest_of_warp(Key mine)
{
  for (int other = 16; other > 0; other /= 2)
    mine = max(mine, __shfl_xor_sync(~0u, mine, other));
  return mine;
}

// Returns the row of the largest entry of column k from row k on, the first of nearly equal ones, to all threads.
__device__ int pivot_of(int n, int k, const double *a)
{
  __shared__ Key of_warp[panel_threads / 32];
  Key            mine = 0;
  for (int i = k + threadIdx.x; i < n; i += panel_threads)
    mine = max(mine, static_cast<Key>((__double_as_longlong(fabs(a[static_cast<long>(i) * n + k])) | 8191) - i));
  mine = largest_of_warp(mine);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return 8191 - static_cast<int>(largest_of_warp(of_warp[threadIdx.x % 32]) & 8191);
}

// The steps of the columns [first, end) in these columns, by one block. Row k is exchanged with its pivot's and scaled,
// and column k set aside.
__global__ void __launch_bounds__(panel_threads)
  panel_kernel(int n, int first, int end, double *a, double *column, int *pivot)
{
  wait_for_predecessor();
  const long width  = n;
  const int  thread = threadIdx.x;
  for (int k = first; k < end; ++k)
    {
      const int    p       = pivot_of(n, k, a);
      const double inverse = 1. / a[p * width + k];
      __syncthreads();
      if (const int j = first + thread; j < end)
        {
          const double of_pivot = a[p * width + j];
          a[p * width + j]      = a[k * width + j];
          a[k * width + j]      = j == k ? inverse : of_pivot * inverse;
        }
      if (thread == 0)
        pivot[k] = p;
      __syncthreads();
      for (int i = thread; i < n; i += panel_threads)
        column[i] = a[i * width + k];
      __syncthreads();
      for (int entry = thread; entry < n * panel; entry += panel_threads)
        if (const int i = entry / panel, j = first + entry % panel; i != k && j < end)
          a[i * width + j] = (j == k ? 0. : a[i * width + j]) - column[i] * a[k * width + j];
      __syncthreads();
    }
}

// Exchanges the panel's rows in the other columns, and copies them.
__global__ void rows_kernel(int n, int first, int end, double *a, const int *pivot, double *rows)
{
  wait_for_predecessor();
  const long width = n;
  const int  j     = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n || (first <= j && j < end))
    return;
  for (int k = first; k < end; ++k)
    if (const int p = pivot[k]; p != k)
      {
        const double value = a[k * width + j];
        a[k * width + j]   = a[p * width + j];
        a[p * width + j]   = value;
      }
  for (int k = first; k < end; ++k)
    rows[(k - first) * width + j] = a[k * width + j];
}

// Adds the product of the panel and its copied rows to the other columns, whose own rows of the panel it replaces.
__global__ void product_kernel(int n, int first, int end, double *a, const double *rows)
{
  wait_for_predecessor();
  const long width = n;
  const int  j     = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n || (first <= j && j < end))
    return;
  double of_rows[panel];
  for (int k = 0; k < panel; ++k)
    of_rows[k] = first + k < end ? rows[k * width + j] : 0.;
  for (int i = blockIdx.y * rows_of_thread; i < min(n, static_cast<int>(blockIdx.y + 1) * rows_of_thread); ++i)
    {
      double sum = first <= i && i < end ? 0. : a[i * width + j];
      for (int k = 0; k < panel; ++k)
        if (first + k < end)
          sum += a[i * width + first + k] * of_rows[k];
      a[i * width + j] = sum;
    }
}

// Rows of the matrix were exchanged: so are columns of the inverse.
__global__ void exchange_columns_kernel(int n, double *a, const int *pivot)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = n - 1; i < n && k >= 0; --k)
    if (const int p = pivot[k]; p != k)
      {
        double      *row   = a + static_cast<long>(i) * n;
        const double value = row[k];
        row[k]             = row[p];
        row[p]             = value;
      }
}
} // namespace

void Context::invert(double *a, int n)
{
  if (n > most_rows)
    throw RunError("a GPU inverts at most " + std::to_string(most_rows) + " rows, not " + std::to_string(n));
  const auto         &memory = memory_of_device();
  DeviceArray<double> column(memory, n, "conversion"), rows(memory, std::size_t(panel) * n, "conversion");
  DeviceArray<int>    pivot(memory, n, "conversion");
  const int           columns = blocks_for(n, 128);
  for (int first = 0; first < n; first += panel)
    {
      const int end = std::min(n, first + panel);
      launch(*this, "panel of a dense matrix", panel_kernel, 1, panel_threads, n, first, end, a, column.data(),
             pivot.data());
      launch(*this, "rows of a panel", rows_kernel, columns, 128, n, first, end, a, pivot.data(), rows.data());
      launch(*this, "product with a panel", product_kernel, dim3(columns, blocks_for(n, rows_of_thread)), 128, n, first,
             end, a, rows.data());
    }
  launch(*this, "exchange of columns", exchange_columns_kernel, blocks_for(n, 32), 32, n, a, pivot.data());
  synchronize();
}
} // namespace adamant::cuda
