// What the device memory can do, as the measure of all kernels.

#include "algebra/cuda/runtime/check.cuh"

#include <algorithm>

namespace adamant
{
namespace cuda
{
namespace
{
// 16 bytes a thread: with 4 the memory is a third idle. A graph's own copies of 1 GB and more run no faster either, on
// the copy engines (benchmarks/cuda/copy_variants.cu, docs/benchmarks/gpu-notes.md).
__global__ void copy_kernel(long n, const float4 *from, float4 *to)
{
  wait_for_predecessor();
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
} // namespace

double Context::copy_bandwidth()
{
  constexpr int repeat = 8;
  std::size_t   free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const long          n = static_cast<long>(std::min<std::size_t>(std::size_t(1) << 30, free / 4) / sizeof(float4));
  DeviceArray<float4> from(ledger, n, "bandwidth"), to(ledger, n, "bandwidth");
  clear(from.data(), n * sizeof(float4));
  const auto copies = record([&] {
    for (int i = 0; i < repeat; ++i)
      launch(*this, "copy", copy_kernel, blocks_for(n), block_size, n, from.data(), to.data());
  });
  return 2. * repeat * n * sizeof(float4) / copies->seconds();
}
} // namespace cuda
} // namespace adamant
