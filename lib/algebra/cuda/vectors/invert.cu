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
constexpr int panel = 32, panel_threads = 1024, rows_in_registers = 512, rows_of_thread = 8, most_rows = 8192;
using Key = unsigned long long; // a size, and a row in the last 13 bits

__device__ Key largest_of_warp(Key mine)
{
  for (int other = 16; other > 0; other /= 2)
    mine = max(mine, __shfl_xor_sync(~0u, mine, other));
  return mine;
}

__device__ Key key_of(double value, int row)
{
  return static_cast<Key>((__double_as_longlong(fabs(value)) | 8191) - row);
}

// Returns the row of the largest key, the first of nearly equal ones, to all threads of the block.
__device__ int row_of_largest(Key mine)
{
  __shared__ Key of_warp[panel_threads / 32];
  mine = largest_of_warp(mine);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return 8191 - static_cast<int>(largest_of_warp(of_warp[threadIdx.x % (blockDim.x / 32)]) & 8191);
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
      Key mine = 0;
      for (int i = k + thread; i < n; i += panel_threads)
        mine = max(mine, key_of(a[i * width + k], i));
      const int    p       = row_of_largest(mine);
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

// Takes these steps where each thread has one row of the panel in registers. A step moves them on by one column, so
// that the column of the next pivot is the first one again.
__global__ void __launch_bounds__(rows_in_registers)
  panel_in_registers_kernel(int n, int first, int end, double *a, int *pivot)
{
  wait_for_predecessor();
  __shared__ double row_k[panel], row_of_pivot[panel]; // the latter scaled
  const int         i = threadIdx.x, width = end - first;
  double           *row = a + static_cast<long>(i) * n + first;
  double            x[panel];
#pragma unroll
  for (int j = 0; j < panel; ++j)
    x[j] = i < n && j < width ? row[j] : 0.;
#pragma unroll 1
  for (int k = first; k < end; ++k)
    {
      const int p = row_of_largest(k <= i && i < n ? key_of(x[0], i) : 0);
      if (i == p)
        {
          const double inverse = 1. / x[0];
          pivot[k]             = p;
          row_of_pivot[0]      = inverse;
#pragma unroll
          for (int j = 1; j < panel; ++j)
            row_of_pivot[j] = x[j] * inverse;
        }
      if (i == k)
#pragma unroll
        for (int j = 0; j < panel; ++j)
          row_k[j] = x[j];
      __syncthreads();
      if (i == p) // the exchanged row
#pragma unroll
        for (int j = 0; j < panel; ++j)
          x[j] = row_k[j];
      const double factor = i == k ? -1. : x[0], keep = i == k ? 0. : 1.;
#pragma unroll
      for (int j = 1; j < panel; ++j)
        x[j - 1] = keep * x[j] - factor * row_of_pivot[j];
      x[panel - 1] = -factor * row_of_pivot[0];
    }
#pragma unroll
  for (int j = 0; j < panel; ++j)
    if (const int place = (j + width) % panel; i < n && place < width)
      row[place] = x[j];
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
      if (n <= rows_in_registers)
        launch(*this, "panel of a dense matrix", panel_in_registers_kernel, 1, rows_in_registers, n, first, end, a,
               pivot.data());
      else
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
