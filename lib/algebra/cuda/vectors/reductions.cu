// Inner products and norms: no scalar goes through the host.

#include "algebra/cuda/operations.h"
#include "algebra/cuda/vectors/reduction.cuh"

namespace adamant
{
namespace cuda
{
namespace
{
template <typename Number>
__global__ void dot_kernel(int n, const Number *x, const Number *y, Reduction reduction, double *on_device,
                           double *on_host)
{
  wait_for_predecessor();
  double product[1] = {0}, sum[1];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    product[0] += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  if (reduction.total(product, sum))
    *on_device = *on_host = sum[0];
}

/// The norms of r and b, together, or their squares.
template <typename Number>
__global__ void norms_kernel(int n, const Number *r, const Number *b, Reduction reduction, bool squares,
                             double *on_device, double *on_host)
{
  wait_for_predecessor();
  double square[2] = {0, 0}, sum[2];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
      const double r_i = r[i], b_i = b[i];
      square[0] += r_i * r_i;
      square[1] += b_i * b_i;
    }
  if (reduction.total(square, sum))
    for (int s = 0; s < 2; ++s)
      on_device[s] = on_host[s] = squares ? sum[s] : sqrt(sum[s]);
}

__global__ void finish_sums_kernel(int n, bool roots, double *on_device, double *on_host)
{
  wait_for_predecessor();
  const int i = threadIdx.x;
  if (i >= n)
    return;
  if (roots)
    on_device[i] = sqrt(on_device[i]);
  if (on_host != nullptr)
    on_host[i] = on_device[i];
}
} // namespace

void sum_over_ranks(const Context &context, int n, double *on_device, double *on_host, bool roots)
{
  if (n == 0 || !leaves_sums_to_ranks(context))
    return;
  context.ranks()->sum(on_device, n, context.stream());
  launch<false>(context, "finish_sums", finish_sums_kernel, 1, blocks_for(n, 32) * 32, n, roots, on_device, on_host);
}

template <typename Number>
void CudaOperations<Number>::dot(int n, const Number *x, const Number *y, const ScalarStorage &s, int i) const
{
  launch(context, "dot", dot_kernel<Number>, reduction_blocks_for(n), block_size, n, x, y, Reduction(context),
         s.on_device + i, s.on_host + i);
  sum_over_ranks(context, 1, s.on_device + i, s.on_host + i);
}

template <typename Number>
void CudaOperations<Number>::norms(int n, const Number *r, const Number *b, const ScalarStorage &s) const
{
  // Not in the kernel of a residual: the product needs every warp there is, the sums a fixed number of blocks (68 + 6
  // against 118 us).
  launch(context, "norms", norms_kernel<Number>, reduction_blocks_for(n), block_size, n, r, b, Reduction(context),
         leaves_sums_to_ranks(context), s.on_device, s.on_host);
  sum_over_ranks(context, 2, s.on_device, s.on_host, true);
}

template void CudaOperations<double>::dot(int, const double *, const double *, const ScalarStorage &, int) const;
template void CudaOperations<double>::norms(int, const double *, const double *, const ScalarStorage &) const;
template void CudaOperations<float>::dot(int, const float *, const float *, const ScalarStorage &, int) const;
template void CudaOperations<float>::norms(int, const float *, const float *, const ScalarStorage &) const;
} // namespace cuda
} // namespace adamant
