// Gram-Schmidt and linear combinations, for GMRES.

#include "algebra/cuda/operations.h"
#include "algebra/cuda/vectors/reduction.cuh"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace adamant
{
namespace cuda
{
namespace
{
// Vectors that one kernel takes together; more go in several kernels.
constexpr int group = 8;

template <typename Number>
struct Vectors
{
  const Number *data[group];
};

template <typename Number>
Vectors<Number> group_of(const Number *const *basis, int first, int k)
{
  Vectors<Number> vectors{};
  std::copy_n(basis + first, std::max(k, 0), vectors.data);
  return vectors;
}

// Calls action with the smallest of 1, 2, 4, 8 vectors that holds k, as a type: kernels are compiled for these.
template <class Action>
void with_group(int k, const Action &action)
{
  if (k <= 1)
    action(std::integral_constant<int, 1>());
  else if (k <= 2)
    action(std::integral_constant<int, 2>());
  else if (k <= 4)
    action(std::integral_constant<int, 4>());
  else
    action(std::integral_constant<int, 8>());
}

// Visits the elements of a grid of threads, several at once so that their loads are under way together:
// load(slot, i) for each of them, then use(slot, i).
template <int slots, class Load, class Use>
__device__ void for_my_elements(int n, const Load &load, const Use &use)
{
  const int stride = gridDim.x * blockDim.x;
  for (int first = blockIdx.x * blockDim.x + threadIdx.x; first < n; first += slots * stride)
    {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot)
        if (first + slot * stride < n)
          load(slot, first + slot * stride);
#pragma unroll
      for (int slot = 0; slot < slots; ++slot)
        if (first + slot * stride < n)
          use(slot, first + slot * stride);
    }
}

// h[i] = v_i . w, i < k <= K.
template <int K, typename Number>
__global__ void dot_kernel(int n, int k, Vectors<Number> v, const Number *w, Reduction reduction, double *h,
                           double *on_host)
{
  wait_for_predecessor();
  constexpr int slots = K <= 4 ? 4 : 2;
  Number        v_i[slots][K], w_i[slots];
  double        product[K] = {}, sum[K];
  for_my_elements<slots>(
    n,
    [&](int slot, int i) {
      w_i[slot] = w[i];
#pragma unroll
      for (int j = 0; j < K; ++j)
        v_i[slot][j] = j < k ? v.data[j][i] : Number(0);
    },
    [&](int slot, int) {
#pragma unroll
      for (int j = 0; j < K; ++j)
        product[j] += static_cast<double>(v_i[slot][j]) * static_cast<double>(w_i[slot]);
    });
  if (reduction.total(product, sum))
    for (int j = 0; j < k; ++j)
      h[j] = on_host[j] = sum[j];
}

// w -= sum_i h[i] v_i; with `again`, correction[i] = v_i . w and correction[k] = w . w of the result, in the same pass.
template <int K, bool again, typename Number>
__global__ void subtract_kernel(int n, int k, Vectors<Number> v, const double *h, Number *w, Reduction reduction,
                                double *correction)
{
  wait_for_predecessor();
  constexpr int slots = K <= 4 ? 4 : 2;
  Number        coefficient[K], v_i[slots][K], w_i[slots];
#pragma unroll
  for (int j = 0; j < K; ++j)
    coefficient[j] = j < k ? static_cast<Number>(h[j]) : Number(0);
  double product[K + 1] = {}, sum[K + 1];
  for_my_elements<slots>(
    n,
    [&](int slot, int i) {
      w_i[slot] = w[i];
#pragma unroll
      for (int j = 0; j < K; ++j)
        v_i[slot][j] = j < k ? v.data[j][i] : Number(0);
    },
    [&](int slot, int i) {
      Number result = w_i[slot];
#pragma unroll
      for (int j = 0; j < K; ++j)
        result -= coefficient[j] * v_i[slot][j];
      w[i] = result;
      if constexpr (again)
        {
#pragma unroll
          for (int j = 0; j < K; ++j)
            product[j] += static_cast<double>(v_i[slot][j]) * static_cast<double>(result);
          product[K] += static_cast<double>(result) * static_cast<double>(result);
        }
    });
  if constexpr (again)
    if (reduction.total(product, sum))
      {
        for (int j = 0; j < k; ++j)
          correction[j] = sum[j];
        correction[k] = sum[K];
      }
}

// The last pass of Gram-Schmidt: w <- (w - sum_i correction[first + i] v_i) / norm where `scale` says so. The norm
// follows from that before the correction by Pythagoras, as the corrections are of rounding size: no further pass for
// it.
template <int K, typename Number>
__global__ void finish_kernel(int n, int first, int k, int k_total, bool scale, Vectors<Number> v,
                              const double *correction, Number *w, double *h, double *on_host)
{
  wait_for_predecessor();
  double square = correction[k_total];
  for (int j = 0; j < k_total; ++j)
    square -= correction[j] * correction[j];
  const double norm   = square > 0 ? sqrt(square) : square == square ? 0. : square; // NaN stays
  const Number factor = scale && norm > 0 ? static_cast<Number>(1. / norm) : Number(1);
  if (scale && blockIdx.x == 0)
    for (int j = threadIdx.x; j <= k_total; j += blockDim.x)
      on_host[j] = h[j] = j < k_total ? h[j] + correction[j] : norm;
  Number coefficient[K];
#pragma unroll
  for (int j = 0; j < K; ++j)
    coefficient[j] = j < k ? static_cast<Number>(correction[first + j]) : Number(0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Number w_i = w[i];
#pragma unroll
  for (int j = 0; j < K; ++j)
    if (j < k)
      w_i -= coefficient[j] * v.data[j][i];
  w[i] = factor * w_i;
}

template <typename Number>
struct Coefficients
{
  Number value[group];
};

template <typename Number>
__global__ void combine_kernel(int n, int k, Coefficients<Number> a, Vectors<Number> v, Number *x)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Number x_i = x[i];
#pragma unroll
  for (int j = 0; j < group; ++j)
    if (j < k)
      x_i += a.value[j] * v.data[j][i];
  x[i] = x_i;
}
} // namespace

// on_device[i] = basis_i . w, this rank's part; to the host, too.
template <typename Number>
void CudaOperations<Number>::dots(int n, const Number *const *basis, int k, const Number *w, double *on_device,
                                  double *on_host) const
{
  for (int first = 0; first < k; first += group)
    {
      const int m = std::min(group, k - first);
      with_group(m, [&](auto K) {
        launch(context, "dots", dot_kernel<K, Number>, reduction_blocks_for(n), block_size, n, m,
               group_of(basis, first, m), w, Reduction(context), on_device + first, on_host + first);
      });
    }
}

// w -= sum_i h[i] basis_i; then correction[i] = basis_i . w and correction[k] = w . w.
template <typename Number>
void CudaOperations<Number>::subtract(int n, const Number *const *basis, int k, const ScalarStorage &h, Number *w) const
{
  const Reduction reduction(context);
  double         *correction = h.on_device + h.n;
  for (int first = 0; first < std::max(k, 1); first += group)
    {
      const int m = std::min(group, k - first);
      // All vectors at once: the second inner products come with the subtraction.
      with_group(m, [&](auto K) {
        launch(context, "subtract", k <= group ? subtract_kernel<K, true, Number> : subtract_kernel<K, false, Number>,
               reduction_blocks_for(n), block_size, n, m, group_of(basis, first, m), h.on_device + first, w, reduction,
               correction);
      });
    }
  if (k <= group)
    return;
  dots(n, basis, k, w, correction, h.on_host);
  const Number *itself = w;
  dots(n, &itself, 1, w, correction + k, h.on_host + k);
}

template <typename Number>
void CudaOperations<Number>::orthonormalize(int n, const Number *const *basis, int k, Number *w,
                                            const ScalarStorage &h) const
{
  double *correction = h.on_device + h.n;
  dots(n, basis, k, w, h.on_device, h.on_host);
  sum_over_ranks(context, k, h.on_device, h.on_host);
  subtract(n, basis, k, h, w);
  sum_over_ranks(context, k + 1, correction, nullptr);
  for (int first = 0; first < std::max(k, 1); first += group)
    {
      const int m = std::min(group, k - first);
      with_group(m, [&](auto K) {
        launch(context, "orthonormalize", finish_kernel<K, Number>, std::max(1, blocks_for(n)), block_size, n, first, m,
               k, first + group >= k, group_of(basis, first, m), correction, w, h.on_device, h.on_host);
      });
    }
}

template <typename Number>
void CudaOperations<Number>::combine(int n, const Number *const *basis, int k, const double *a, Number *x) const
{
  for (int first = 0; first < k; first += group)
    {
      const int            m = std::min(group, k - first);
      Coefficients<Number> coefficients{};
      std::transform(a + first, a + first + m, coefficients.value, [](double c) { return static_cast<Number>(c); });
      launch(context, "combine", combine_kernel<Number>, blocks_for(n), block_size, n, m, coefficients,
             group_of(basis, first, m), x);
    }
}

template void CudaOperations<double>::orthonormalize(int, const double *const *, int, double *,
                                                     const ScalarStorage &) const;
template void CudaOperations<double>::combine(int, const double *const *, int, const double *, double *) const;
template void CudaOperations<float>::orthonormalize(int, const float *const *, int, float *,
                                                    const ScalarStorage &) const;
template void CudaOperations<float>::combine(int, const float *const *, int, const double *, float *) const;
} // namespace cuda
} // namespace adamant
