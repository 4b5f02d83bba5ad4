// The steps of conjugate gradients: no scalar goes through the host.

#include "algebra/cuda/backend.h"
#include "algebra/cuda/reduction.cuh"

namespace adamant
{
namespace
{
template <typename Number>
__global__ void dot_kernel(int n, const Number *x, const Number *y, cuda::Reduction reduction, double *on_device,
                           double *on_host)
{
  cuda::wait_for_predecessor();
  double product[1] = {0}, sum[1];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    product[0] += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  if (reduction.total(product, sum))
    *on_device = *on_host = sum[0];
}

template <typename Number>
__global__ void xpay_kernel(int n, const Number *x, const double *numerator, const double *denominator, Number *y)
{
  cuda::wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + static_cast<Number>(*numerator / *denominator) * y[i];
}

template <typename Number>
__global__ void step_kernel(int n, const Number *p, const Number *q, const double *numerator, const double *denominator,
                            Number *x, Number *r, cuda::Reduction reduction, double *on_device, double *on_host)
{
  cuda::wait_for_predecessor();
  const Number a         = static_cast<Number>(*numerator / *denominator);
  double       square[1] = {0}, sum[1];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
      x[i] += a * p[i];
      const Number residual = r[i] - a * q[i];
      r[i]                  = residual;
      square[0] += static_cast<double>(residual) * static_cast<double>(residual);
    }
  if (reduction.total(square, sum))
    *on_device = *on_host = sum[0];
}
} // namespace

template <typename Number>
void CudaBackend<Number>::dot(const Vector &x, const Vector &y, Scalars &s, int i) const
{
  cuda::launch(*context, "dot", dot_kernel<Number>, cuda::reduction_blocks_for(x.size()), cuda::block_size, x.size(),
               x.data(), y.data(), cuda::Reduction(*context), s.device() + i, s.host() + i);
  cuda::sum_over_ranks(*context, 1, s.device() + i, s.host() + i);
}

template <typename Number>
void CudaBackend<Number>::xpay(const Vector &x, const Scalars &s, int numerator, int denominator, Vector &y) const
{
  cuda::launch(*context, "xpay", xpay_kernel<Number>, cuda::blocks_for(x.size()), cuda::block_size, x.size(), x.data(),
               s.device() + numerator, s.device() + denominator, y.data());
}

template <typename Number>
void CudaBackend<Number>::step_along(const Vector &p, const Vector &q, int numerator, int denominator, Vector &x,
                                     Vector &r, Scalars &s, int i) const
{
  cuda::launch(*context, "step_along", step_kernel<Number>, cuda::reduction_blocks_for(x.size()), cuda::block_size,
               x.size(), p.data(), q.data(), s.device() + numerator, s.device() + denominator, x.data(), r.data(),
               cuda::Reduction(*context), s.device() + i, s.host() + i);
  cuda::sum_over_ranks(*context, 1, s.device() + i, s.host() + i);
}

template void CudaBackend<double>::dot(const Vector &, const Vector &, Scalars &, int) const;
template void CudaBackend<float>::dot(const Vector &, const Vector &, Scalars &, int) const;
template void CudaBackend<double>::xpay(const Vector &, const Scalars &, int, int, Vector &) const;
template void CudaBackend<float>::xpay(const Vector &, const Scalars &, int, int, Vector &) const;
template void CudaBackend<double>::step_along(const Vector &, const Vector &, int, int, Vector &, Vector &, Scalars &,
                                              int) const;
template void CudaBackend<float>::step_along(const Vector &, const Vector &, int, int, Vector &, Vector &, Scalars &,
                                             int) const;
} // namespace adamant
