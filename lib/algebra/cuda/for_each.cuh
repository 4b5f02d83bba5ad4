#pragma once

#include "algebra/cuda/backend.h"
#include "algebra/cuda/check.cuh"

namespace adamant
{
namespace cuda
{
template <typename Functor>
__global__ void for_each_kernel(int n, Functor functor)
{
  wait_for_predecessor();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    functor(i);
}
} // namespace cuda

template <typename Number>
template <typename Functor>
void CudaBackend<Number>::for_each(int n, const Functor &functor) const
{
  cuda::launch(*context, "for_each", cuda::for_each_kernel<Functor>, cuda::blocks_for(n), cuda::block_size, n, functor);
}
} // namespace adamant
