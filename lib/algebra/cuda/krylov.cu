// The operations of Krylov methods: inner products, Gram-Schmidt, linear combinations. All coefficients stay on the device.

#include "algebra/cuda/backend.h"
#include "algebra/cuda/reduction.cuh"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace adamant
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
Vectors<Number> group_of(const std::vector<CudaVector<Number>> &basis, int first, int k)
{
  Vectors<Number> vectors{};
  for (int i = 0; i < k; ++i)
    vectors.data[i] = basis[first + i].data();
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
__global__ void dot_kernel(int n, int k, Vectors<Number> v, const Number *w, cuda::Reduction reduction, double *h,
                           double *on_host)
{
  cuda::wait_for_predecessor();
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
__global__ void subtract_kernel(int n, int k, Vectors<Number> v, const double *h, Number *w, cuda::Reduction reduction,
                                double *correction)
{
  cuda::wait_for_predecessor();
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

// The last pass of Gram-Schmidt: w <- (w - sum_i correction[first + i] v_i) / norm where `scale` says so. The norm follows
// from that before the correction by Pythagoras, as the corrections are of rounding size: no further pass for it.
template <int K, typename Number>
__global__ void finish_kernel(int n, int first, int k, int k_total, bool scale, Vectors<Number> v,
                              const double *correction, Number *w, double *h, double *on_host)
{
  cuda::wait_for_predecessor();
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

template <typename Number, typename Other>
__global__ void multi_axpy_kernel(int n, int k, Coefficients<Number> a, Vectors<Other> v, Number *x)
{
  cuda::wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Number x_i = x[i];
#pragma unroll
  for (int j = 0; j < group; ++j)
    if (j < k)
      x_i += a.value[j] * static_cast<Number>(v.data[j][i]);
  x[i] = x_i;
}
} // namespace

template <typename Number>
void CudaBackend<Number>::multi_dot(const std::vector<Vector> &basis, int k, const Vector &w, Scalars &h) const
{
  const int n = w.size();
  for (int first = 0; first < k; first += group)
    {
      const int m = std::min(group, k - first);
      with_group(m, [&](auto K) {
        cuda::launch(*context, "multi_dot", dot_kernel<K, Number>, cuda::reduction_blocks_for(n), cuda::block_size, n,
                     m, group_of(basis, first, m), w.data(), cuda::Reduction(*context), h.device() + first,
                     h.host() + first);
      });
    }
  cuda::sum_over_ranks(*context, k, h.device(), h.host());
}

template <typename Number>
void CudaBackend<Number>::orthonormalize(const std::vector<Vector> &basis, int k, Vector &w, Scalars &h) const
{
  const int             n = w.size(), blocks = cuda::reduction_blocks_for(n);
  const cuda::Reduction reduction(*context);
  double               *correction = h.device_scratch();
  multi_dot(basis, k, w, h);
  for (int first = 0; first < std::max(k, 1); first += group)
    {
      const int m = std::min(group, k - first);
      // All vectors at once: the second inner products come with the subtraction.
      with_group(m, [&](auto K) {
        cuda::launch(*context, "orthonormalize",
                     k <= group ? subtract_kernel<K, true, Number> : subtract_kernel<K, false, Number>, blocks,
                     cuda::block_size, n, m, group_of(basis, first, m), h.device() + first, w.data(), reduction,
                     correction);
      });
    }
  if (k > group)
    {
      for (int first = 0; first < k; first += group)
        {
          const int m = std::min(group, k - first);
          cuda::launch(*context, "multi_dot", dot_kernel<group, Number>, blocks, cuda::block_size, n, m,
                       group_of(basis, first, m), w.data(), reduction, correction + first, h.host() + first);
        }
      Vectors<Number> itself{};
      itself.data[0] = w.data();
      cuda::launch(*context, "multi_dot", dot_kernel<1, Number>, blocks, cuda::block_size, n, 1, itself, w.data(),
                   reduction, correction + k, h.host() + k);
    }
  cuda::sum_over_ranks(*context, k + 1, correction, nullptr);
  for (int first = 0; first < std::max(k, 1); first += group)
    {
      const int m = std::min(group, k - first);
      with_group(m, [&](auto K) {
        cuda::launch(*context, "orthonormalize", finish_kernel<K, Number>, std::max(1, cuda::blocks_for(n)),
                     cuda::block_size, n, first, m, k, first + group >= k, group_of(basis, first, m), correction,
                     w.data(), h.device(), h.host());
      });
    }
}

template <typename Number>
double CudaBackend<Number>::dot(const Vector &x, const Vector &y) const
{
  Vectors<Number> v{};
  v.data[0] = x.data();
  cuda::launch(*context, "dot", dot_kernel<1, Number>, cuda::reduction_blocks_for(x.size()), cuda::block_size, x.size(),
               1, v, y.data(), cuda::Reduction(*context), dot_result->device(), dot_result->host());
  cuda::sum_over_ranks(*context, 1, dot_result->device(), dot_result->host());
  return *fetch(*dot_result, 1);
}

template <typename Number>
double CudaBackend<Number>::norm(const Vector &x) const
{
  return std::sqrt(dot(x, x));
}

template <typename Number>
const double *CudaBackend<Number>::fetch(Scalars &h, int /*n*/) const
{
  context->synchronize();
  return h.host();
}

template <typename Number>
template <typename Other>
void CudaBackend<Number>::multi_axpy(const std::vector<CudaVector<Other>> &basis, int k, const double *a,
                                     Vector &x) const
{
  for (int first = 0; first < k; first += group)
    {
      const int            m = std::min(group, k - first);
      Coefficients<Number> coefficients{};
      std::transform(a + first, a + first + m, coefficients.value, [](double c) { return static_cast<Number>(c); });
      cuda::launch(*context, "multi_axpy", multi_axpy_kernel<Number, Other>, cuda::blocks_for(x.size()),
                   cuda::block_size, x.size(), m, coefficients, group_of(basis, first, m), x.data());
    }
}

template void   CudaBackend<double>::multi_axpy(const std::vector<CudaVector<double>> &, int, const double *,
                                                Vector &) const;
template void   CudaBackend<double>::multi_axpy(const std::vector<CudaVector<float>> &, int, const double *,
                                                Vector &) const;
template void   CudaBackend<double>::multi_dot(const std::vector<Vector> &, int, const Vector &, Scalars &) const;
template void   CudaBackend<float>::multi_dot(const std::vector<Vector> &, int, const Vector &, Scalars &) const;
template void   CudaBackend<double>::orthonormalize(const std::vector<Vector> &, int, Vector &, Scalars &) const;
template void   CudaBackend<float>::orthonormalize(const std::vector<Vector> &, int, Vector &, Scalars &) const;
template double CudaBackend<double>::dot(const Vector &, const Vector &) const;
template double CudaBackend<float>::dot(const Vector &, const Vector &) const;
template double CudaBackend<double>::norm(const Vector &) const;
template double CudaBackend<float>::norm(const Vector &) const;
template const double *CudaBackend<double>::fetch(Scalars &, int) const;
template const double *CudaBackend<float>::fetch(Scalars &, int) const;
} // namespace adamant
