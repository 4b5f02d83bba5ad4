// A step of Arnoldi's method with as many vectors as the device says, for GMRES in a loop on the device: three kernels,
// whatever their number.

#include "algebra/cuda/reduction.cuh"
#include "algebra/gram_schmidt.h"

#include <algorithm>

namespace adamant
{
namespace cuda
{
namespace
{
constexpr int group = 8; // vectors that are read together

// Some of the vectors in a table.
struct Vectors
{
  const double *data[group];
  int           n;

  __device__ Vectors(const double *const *table, int first, int n_vectors)
    : n(min(group, n_vectors - first))
  {
#pragma unroll
    for (int j = 0; j < group; ++j)
      data[j] = j < n ? table[first + j] : nullptr;
  }
};

// use(i, w[i], the vectors' entries i) for this thread's elements. All vectors of a group are loaded at once; more
// elements at once would take so many registers that fewer blocks fit into an SM, which loses more.
template <class Use>
__device__ void for_my_elements(int n, const Vectors &v, const double *w, const Use &use)
{
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
      const double w_i = w[i];
      double       v_i[group];
#pragma unroll
      for (int j = 0; j < group; ++j)
        v_i[j] = j < v.n ? v.data[j][i] : 0.;
      use(i, w_i, v_i);
    }
}

// Sums of a kernel: each block leaves its part. Every block of the next kernel adds the parts up (`by_next`), which is
// quicker than that the last block does it, also of hundreds of parts; where there are ranks, the last block does.
struct PartialSums
{
  Reduction reduction;
  double   *partial; // sum s of block b: partial[s gridDim.x + b]
  bool      by_next;

  static constexpr int most_sums = 64; // for by_next

  // Of n sums, which begin with number `first`; the threads may go on with other sums.
  template <int n>
  __device__ void leave(int first, int n_valid, const double (&value)[n]) const
  {
    const double of_block = block_sums(value);
    if (threadIdx.x < n_valid)
      partial[(first + threadIdx.x) * gridDim.x + blockIdx.x] = of_block;
    __syncthreads();
  }

  // The parts of n sums from `blocks` blocks, in their order.
  __device__ void add_parts(int n, int blocks, double *sum) const
  {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int s = threadIdx.x / 32; s < n; s += warps)
      {
        double total = 0;
#pragma unroll 8
        for (int b = lane; b < blocks; b += 32)
          total += __ldcg(partial + s * blocks + b);
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
          total += __shfl_down_sync(0xffffffff, total, offset);
        if (lane == 0)
          sum[s] = total;
      }
  }

  // At the end of the kernel that left them, sums to global memory, unless the next one adds them up.
  __device__ void finish(int n, double *sum) const
  {
    if (by_next)
      return;
    __shared__ bool   last;
    __shared__ double some[Context::max_sums];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      {
        last = atomicInc(reduction.finished, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
      }
    __syncthreads();
    if (!last)
      return;
    add_parts(n, gridDim.x, sum);
    for (int first = 0; reduction.peers.n_ranks > 0 && first < n; first += Context::max_sums)
      {
        const int m = min(Context::max_sums, n - first);
        __syncthreads();
        if (threadIdx.x < m)
          some[threadIdx.x] = sum[first + threadIdx.x];
        __syncthreads();
        sum_over_peers(reduction.peers, m, some);
        if (threadIdx.x < m)
          sum[first + threadIdx.x] = some[threadIdx.x];
      }
  }

  // In the next kernel: n sums that `blocks` blocks have left, in global memory or in `here`, which is shared.
  __device__ const double *sums(int n, int blocks, const double *global, double *here) const
  {
    if (!by_next)
      return global;
    add_parts(n, blocks, here);
    __syncthreads();
    return here;
  }
};

// product += vᵀ w of v's first n vectors and, behind them, w w.
__device__ void add(double w_i, const double (&v_i)[group], int n, double (&product)[group + 1])
{
#pragma unroll
  for (int j = 0; j <= group; ++j)
    product[j] += w_i * (j == n ? w_i : j < group ? v_i[j] : 0.);
}

// This block's part of the products of all vectors with w and, with `square`, of w with itself behind them.
template <bool square>
__device__ void leave_products(const ArnoldiVectors &a, int n_vectors, const PartialSums &sums)
{
  for (int first = 0; first < n_vectors; first += group)
    {
      const Vectors v(a.basis, first, n_vectors);
      const bool    with_square        = square && first + group >= n_vectors;
      double        product[group + 1] = {};
      for_my_elements(a.n, v, a.w, [&](int, double w_i, const double(&v_i)[group]) { add(w_i, v_i, v.n, product); });
      sums.leave(first, v.n + (with_square ? 1 : 0), product);
    }
}

// to = from, several loads at once.
template <typename Number>
__device__ void copy_my_elements(int n, const Number *from, double *to)
{
  constexpr int slots  = 4;
  const int     stride = gridDim.x * blockDim.x;
  for (int first = blockIdx.x * blockDim.x + threadIdx.x; first < n; first += slots * stride)
    {
      Number value[slots];
#pragma unroll
      for (int slot = 0; slot < slots; ++slot)
        if (const int i = first + slot * stride; i < n)
          value[slot] = from[i];
#pragma unroll
      for (int slot = 0; slot < slots; ++slot)
        if (const int i = first + slot * stride; i < n)
          to[i] = value[slot];
    }
}

// h = Vᵀ w; z_k = z.
__global__ void __launch_bounds__(block_size, 4) products_kernel(const ArnoldiVectors a, const PartialSums products)
{
  wait_for_predecessor();
  const int k  = *a.k;
  double   *to = a.directions[k];
  if (a.z_in_float != nullptr)
    copy_my_elements(a.n, a.z_in_float, to);
  else if (to != a.z)
    copy_my_elements(a.n, a.z, to);
  leave_products<false>(a, k + 1, products);
  products.finish(k + 1, a.h);
}

// w -= V h, then corrections Vᵀ w and, behind them, w . w.
__global__ void __launch_bounds__(block_size, 3)
  subtract_kernel(const ArnoldiVectors a, const PartialSums products, const PartialSums corrections)
{
  __shared__ double here[PartialSums::most_sums];
  wait_for_predecessor();
  const int     n_vectors = *a.k + 1;
  const double *h_global  = products.sums(n_vectors, gridDim.x, a.h, here);
  for (int first = 0; first < n_vectors; first += group)
    {
      const Vectors v(a.basis, first, n_vectors);
      double        h[group], product[group + 1] = {};
#pragma unroll
      for (int j = 0; j < group; ++j)
        h[j] = j < v.n ? h_global[first + j] : 0.;
      for_my_elements(a.n, v, a.w, [&](int i, double w_i, const double(&v_i)[group]) {
#pragma unroll
        for (int j = 0; j < group; ++j)
          w_i -= h[j] * v_i[j];
        a.w[i] = w_i;
        add(w_i, v_i, v.n, product);
      });
      if (n_vectors <= group) // all vectors at once: the second products come in the same pass
        corrections.leave(0, v.n + 1, product);
    }
  if (n_vectors > group)
    leave_products<true>(a, n_vectors, corrections);
  corrections.finish(n_vectors + 1, a.h + a.most + 1);
}

// The last pass: v = v_{k+1} = (w - V corrections) / norm; h becomes the coefficients and the norm. That follows from
// the one before the corrections by Pythagoras, as these are of rounding size: no further pass for it. Where they are
// less than that, no vector of V is read. `blocks`: those of the sums.
__global__ void finish_kernel(const ArnoldiVectors a, int blocks, const PartialSums products,
                              const PartialSums corrections)
{
  __shared__ double here[PartialSums::most_sums], h_here[PartialSums::most_sums];
  wait_for_predecessor();
  constexpr int slots     = 4; // elements of a thread, of long vectors
  const int     n_vectors = *a.k + 1, begin = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  double       *last = a.basis[n_vectors], w_i[slots];
#pragma unroll
  for (int slot = 0; slot < slots; ++slot)
    if (const int i = begin + slot * stride; i < a.n)
      w_i[slot] = a.w[i];
  const double *correction     = corrections.sums(n_vectors + 1, blocks, a.h + a.most + 1, here);
  double        of_corrections = 0;
  for (int j = 0; j < n_vectors; ++j)
    of_corrections += correction[j] * correction[j];
  const bool   corrected = orthogonality_is_lost(of_corrections, correction[n_vectors]);
  const double square    = correction[n_vectors] - (corrected ? of_corrections : 0.);
  for (int first = 0; corrected && first < n_vectors; first += group)
    {
      const Vectors v(a.basis, first, n_vectors);
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j < v.n)
          {
            const double c = correction[first + j];
#pragma unroll
            for (int slot = 0; slot < slots; ++slot)
              if (const int i = begin + slot * stride; i < a.n)
                w_i[slot] -= c * v.data[j][i];
          }
    }
  const double norm   = square > 0 ? sqrt(square) : square == square ? 0. : square; // NaN stays
  const double factor = norm > 0 ? 1. / norm : 1.;
#pragma unroll
  for (int slot = 0; slot < slots; ++slot)
    if (const int i = begin + slot * stride; i < a.n)
      {
        const double v_i = factor * w_i[slot];
        last[i]          = v_i;
        if (a.v != nullptr)
          a.v[i] = v_i;
        if (a.v_in_float != nullptr)
          a.v_in_float[i] = static_cast<float>(v_i);
      }
  if (blockIdx.x > 0)
    return;
  const double *h = products.sums(n_vectors, blocks, a.h, h_here);
  for (int j = threadIdx.x; j <= n_vectors; j += blockDim.x)
    a.h[j] = j < n_vectors ? h[j] + (corrected ? correction[j] : 0.) : norm;
}

// x += sum_i a[i] v_i.
__global__ void combine_kernel(int n, const double *const *basis, const int *k, const double *a, double *x)
{
  wait_for_predecessor();
  const int n_vectors = *k, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || n_vectors == 0)
    return;
  double x_i = x[i];
  for (int first = 0; first < n_vectors; first += group)
    {
      const Vectors v(basis, first, n_vectors);
#pragma unroll
      for (int j = 0; j < group; ++j)
        if (j < v.n)
          x_i += a[first + j] * v.data[j][i];
    }
  x[i] = x_i;
}
} // namespace

void Context::arnoldi(const ArnoldiVectors &a) const
{
  constexpr int most_blocks = 528; // about what a GPU has at a time
  const int     room        = max_sums * reduction_blocks / 2,
            blocks          = reduction_blocks_for(a.n, std::min(most_blocks, room / (a.most + 1)));
  const bool        by_next = ranks() == nullptr && a.most < PartialSums::most_sums;
  const PartialSums products{Reduction(*this), partial_sums(), by_next},
    corrections{Reduction(*this), partial_sums() + room, by_next};
  launch(*this, "products of Arnoldi's method", products_kernel, blocks, block_size, a, products);
  sum_over_ranks(*this, a.most, a.h, nullptr);
  launch(*this, "subtraction of Arnoldi's method", subtract_kernel, blocks, block_size, a, products, corrections);
  sum_over_ranks(*this, a.most + 1, a.h + a.most + 1, nullptr);
  launch(*this, "end of a step of Arnoldi's method", finish_kernel,
         std::max(1, blocks_for(a.n, a.n < 1 << 18 ? block_size : 4 * block_size)), block_size, a, blocks, products,
         corrections);
}

void Context::combine(int n, const double *const *basis, const int *k, const double *a, double *x) const
{
  launch(*this, "combine", combine_kernel, blocks_for(n), block_size, n, basis, k, a, x);
}
} // namespace cuda
} // namespace adamant
