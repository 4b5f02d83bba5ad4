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
constexpr int panel = 32, panel_threads = 512, most_blocks = 32, rows_of_block = 16, rows_at_once = 4,
              columns_of_block = 128;

using Key = unsigned long long; // a size, and a row in the last 14 bits

__device__ Key largest_of_warp(Key mine)
{
  for (int other = 16; other > 0; other /= 2)
    mine = max(mine, __shfl_xor_sync(~0u, mine, other));
  return mine;
}

__device__ Key key_of(double value, int row)
{
  return static_cast<Key>((__double_as_longlong(fabs(value)) | 16383) - row);
}
__device__ int row_of(Key key)
{
  return 16383 - static_cast<int>(key & 16383);
}

// Returns the largest key of the block, of nearly equal ones that of the first row, to all its threads.
__device__ Key largest_of_block(Key mine)
{
  __shared__ Key of_warp[panel_threads / 32];
  mine = largest_of_warp(mine);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return largest_of_warp(of_warp[threadIdx.x % (panel_threads / 32)]);
}

// What blocks tell each other before a step: each the best pivot of its rows and that row, and one of them row k.
struct Message
{
  Key    best[most_blocks];
  double row_of_best[most_blocks][panel], row_k[panel];
};

// Waits until all blocks have called this `times` times.
__device__ void wait_for_blocks(unsigned *calls, unsigned times)
{
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    {
      atomicAdd(calls, 1u);
      while (*static_cast<volatile unsigned *>(calls) < times * gridDim.x)
        ;
      __threadfence();
    }
  __syncthreads();
}

// The steps of the columns [first, end) in these columns. Each thread has one row of the panel in registers. Row k is
// exchanged with its pivot's and scaled. A step moves rows on by one column, so that the column of the next pivot is
// the first one again. All blocks have to run at once; messages take turns at two places.
__global__ void __launch_bounds__(panel_threads)
  panel_kernel(int n, int first, int end, double *a, int *pivot, Message *messages, unsigned *calls)
{
  wait_for_predecessor();
  __shared__ double row_k[panel], row_of_pivot[panel];
  const int         i = blockIdx.x * panel_threads + threadIdx.x, width = end - first;
  double           *row = a + static_cast<long>(i) * n + first;
  double            x[panel];
#pragma unroll
  for (int j = 0; j < panel; ++j)
    x[j] = i < n && j < width ? row[j] : 0.;
#pragma unroll 1
  for (int k = first; k < end; ++k)
    {
      volatile Message &message = messages[k % 2]; // not from a multiprocessor's cache
      Key               best    = largest_of_block(k <= i && i < n ? key_of(x[0], i) : 0);
      const auto        row_in  = [&](volatile double *to) {
#pragma unroll
        for (int j = 0; j < panel; ++j)
          to[j] = x[j];
      };
      if (best != 0 && i == row_of(best))
        row_in(gridDim.x == 1 ? row_of_pivot : message.row_of_best[blockIdx.x]);
      if (i == k)
        row_in(gridDim.x == 1 ? row_k : message.row_k);
      if (gridDim.x == 1)
        __syncthreads();
      else
        {
          if (threadIdx.x == 0)
            message.best[blockIdx.x] = best;
          wait_for_blocks(calls, k + 1);
          const int lane = threadIdx.x % 32;
          best           = largest_of_warp(lane < gridDim.x ? message.best[lane] : 0);
          if (threadIdx.x < panel)
            {
              row_of_pivot[threadIdx.x] = message.row_of_best[row_of(best) / panel_threads][threadIdx.x];
              row_k[threadIdx.x]        = message.row_k[threadIdx.x];
            }
          __syncthreads();
        }
      const int    p       = row_of(best);
      const double inverse = 1. / row_of_pivot[0];
      if (i == k)
        pivot[k] = p;
      if (i == p) // the exchanged row
#pragma unroll
        for (int j = 0; j < panel; ++j)
          x[j] = row_k[j];
      const double factor = (i == k ? -1. : x[0]) * inverse, keep = i == k ? 0. : 1.;
#pragma unroll
      for (int j = 1; j < panel; ++j)
        x[j - 1] = keep * x[j] - factor * row_of_pivot[j];
      x[panel - 1] = -factor;
      __syncthreads(); // before the rows change
    }
#pragma unroll
  for (int j = 0; j < panel; ++j)
    if (const int place = (j + width) % panel; i < n && place < width)
      row[place] = x[j];
}

// Exchanges the panel's rows in the other columns, and copies them; rows behind its end are zero.
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
  for (int k = first; k < first + panel; ++k)
    rows[(k - first) * width + j] = k < end ? a[k * width + j] : 0.;
}

// Adds the product of the panel and its copied rows to the other columns, whose own rows of the panel it replaces.
__global__ void __launch_bounds__(columns_of_block)
  product_kernel(int n, int first, int end, double *a, const double *rows)
{
  wait_for_predecessor();
  __shared__ double of_panel[rows_of_block][panel];
  const long        width = n;
  const int         j = blockIdx.x * columns_of_block + threadIdx.x, begin = blockIdx.y * rows_of_block;
  for (int e = threadIdx.x; e < rows_of_block * panel; e += columns_of_block)
    {
      const int i = begin + e / panel, k = first + e % panel;
      of_panel[e / panel][e % panel] = i < n && k < end ? a[i * width + k] : 0.;
    }
  __syncthreads();
  if (j >= n || (first <= j && j < end))
    return;
  double of_rows[panel];
#pragma unroll
  for (int k = 0; k < panel; ++k)
    of_rows[k] = rows[k * width + j];
  for (int i = begin; i < begin + rows_of_block; i += rows_at_once)
    {
      double sum[rows_at_once];
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r)
        sum[r] = i + r >= n || (first <= i + r && i + r < end) ? 0. : a[(i + r) * width + j];
#pragma unroll
      for (int k = 0; k < panel; ++k)
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r)
          sum[r] += of_panel[i - begin + r][k] * of_rows[k];
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r)
        if (i + r < n)
          a[(i + r) * width + j] = sum[r];
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
  const int blocks = blocks_for(n, panel_threads), most = std::min(most_blocks, n_multiprocessors());
  if (blocks > most)
    throw RunError("this GPU inverts at most " + std::to_string(most * panel_threads) + " rows, not " +
                   std::to_string(n));
  const auto          &memory = memory_of_device();
  DeviceArray<double>  rows(memory, std::size_t(panel) * n, "conversion");
  DeviceArray<int>     pivot(memory, n, "conversion");
  DeviceArray<Message> messages(memory, 2, "conversion");
  const unsigned       none  = 0;
  auto                 calls = to_device(*this, &none, 1, "conversion");
  const dim3           products(blocks_for(n, columns_of_block), blocks_for(n, rows_of_block));
  for (int first = 0; first < n; first += panel)
    {
      const int end = std::min(n, first + panel);
      launch(*this, "panel of a dense matrix", panel_kernel, blocks, panel_threads, n, first, end, a, pivot.data(),
             messages.data(), calls.data());
      launch(*this, "rows of a panel", rows_kernel, blocks_for(n), block_size, n, first, end, a, pivot.data(),
             rows.data());
      launch(*this, "product with a panel", product_kernel, products, columns_of_block, n, first, end, a, rows.data());
    }
  launch(*this, "exchange of columns", exchange_columns_kernel, blocks_for(n, 32), 32, n, a, pivot.data());
  synchronize();
}
} // namespace adamant::cuda
