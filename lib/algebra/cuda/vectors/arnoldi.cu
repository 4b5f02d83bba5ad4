#include "algebra/cuda/vectors/arnoldi.cuh"

namespace adamant::cuda
{
namespace
{
constexpr int group = TabledVectors::group;

// Calls action with the smallest of 2, 4 and 8 that holds n, as a type.
template <class Action>
__device__ void with_capacity(int n, const Action &action)
{
  if (n <= 2)
    action(std::integral_constant<int, 2>());
  else if (n <= 4)
    action(std::integral_constant<int, 4>());
  else
    action(std::integral_constant<int, group>());
}

// Calls use(i, w[i], the vectors' entries i) for this thread's elements. All vectors of a group are loaded at once, and
// few vectors for several elements at once. So many numbers leave the registers for four blocks in an SM.
template <int capacity, class Use>
__device__ void for_my_elements(int n, const TabledVectors &v, const double *w, const Use &use)
{
  constexpr int elements = group / capacity;
  const int     stride   = gridDim.x * blockDim.x;
  for (int first = blockIdx.x * blockDim.x + threadIdx.x; first < n; first += elements * stride)
    {
      double w_i[elements], v_i[elements][capacity];
#pragma unroll
      for (int e = 0; e < elements; ++e)
        {
          const int  i       = first + e * stride;
          const bool present = i < n;
          w_i[e]             = present ? w[i] : 0.;
#pragma unroll
          for (int j = 0; j < capacity; ++j)
            v_i[e][j] = present && j < v.n ? v.data[j][i] : 0.;
        }
#pragma unroll
      for (int e = 0; e < elements; ++e)
        if (first + e * stride < n)
          use(first + e * stride, w_i[e], v_i[e]);
    }
}

// product += vᵀ w of v's first n vectors and, behind them, w w.
template <int capacity>
__device__ void add(double w_i, const double (&v_i)[capacity], int n, double (&product)[capacity + 1])
{
#pragma unroll
  for (int j = 0; j <= capacity; ++j)
    product[j] += w_i * (j == n ? w_i : j < capacity ? v_i[j] : 0.);
}

// This block's part of the products of all vectors with w and, with `square`, of w with itself behind them.
template <bool square>
__device__ void leave_products(const ArnoldiVectors &a, int n_vectors, const PartialSums &sums)
{
  for (int first = 0; first < n_vectors; first += group)
    {
      const TabledVectors v(a.basis, first, n_vectors, a.most);
      const bool          with_square = square && first + group >= n_vectors;
      with_capacity(v.n, [&](auto capacity) {
        constexpr int most              = decltype(capacity)::value;
        double        product[most + 1] = {};
        for_my_elements<most>(a.n, v, a.w,
                              [&](int, double w_i, const double(&v_i)[most]) { add(w_i, v_i, v.n, product); });
        sums.leave(first, v.n + (with_square ? 1 : 0), product);
      });
    }
}

// to = from, several loads at once.
template <typename Number>
__device__ void copy_my_elements(int n, const Number *from, Number *to)
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
  const int  k     = *a.k;
  const bool ended = a.ended != nullptr && *a.ended != 0;
  if (a.k_of_step != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
    *a.k_of_step = ended ? -1 : k;
  if (ended)
    return;
  if (a.z_in_float != nullptr)
    copy_my_elements(a.n, a.z_in_float, a.directions_in_float[k]);
  else if (double *to = a.directions[k]; to != a.z)
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
  const int n_vectors = number_of_step(a) + 1;
  if (n_vectors == 0)
    return;
  const double *h_global = products.sums(n_vectors, gridDim.x, a.h, here);
  for (int first = 0; first < n_vectors; first += group)
    {
      const TabledVectors v(a.basis, first, n_vectors, a.most);
      with_capacity(v.n, [&](auto capacity) {
        constexpr int most = decltype(capacity)::value;
        double        h[most], product[most + 1] = {};
#pragma unroll
        for (int j = 0; j < most; ++j)
          h[j] = j < v.n ? h_global[first + j] : 0.;
        for_my_elements<most>(a.n, v, a.w, [&](int i, double w_i, const double(&v_i)[most]) {
#pragma unroll
          for (int j = 0; j < most; ++j)
            w_i -= h[j] * v_i[j];
          a.w[i] = w_i;
          add(w_i, v_i, v.n, product);
        });
        if (n_vectors <= group) // all vectors at once: the second products come in the same pass
          corrections.leave(0, v.n + 1, product);
      });
    }
  if (n_vectors > group)
    leave_products<true>(a, n_vectors, corrections);
  corrections.finish(n_vectors + 1, a.h + a.most + 1);
}

} // namespace

Projection project(const Context &context, const ArnoldiVectors &a)
{
  constexpr int    most_blocks = 528; // about what a GPU has at a time
  const int        blocks      = reduction_blocks_for(a.n, std::min(most_blocks, PartialSums::room / (a.most + 1)));
  const bool       by_next     = context.ranks() == nullptr && a.most < PartialSums::most_sums;
  const Projection p{{Reduction(context), context.partial_sums(), by_next},
                     {Reduction(context), context.partial_sums() + PartialSums::room, by_next},
                     blocks};
  launch(context, "products of Arnoldi's method", products_kernel, blocks, block_size, a, p.products);
  sum_over_ranks(context, a.most, a.h);
  launch(context, "subtraction of Arnoldi's method", subtract_kernel, blocks, block_size, a, p.products, p.corrections);
  sum_over_ranks(context, a.most + 1, a.h + a.most + 1);
  return p;
}

void Context::arnoldi(const ArnoldiVectors &a) const
{
  cuda::arnoldi(*this, a, NoControl(), {});
}
} // namespace adamant::cuda
