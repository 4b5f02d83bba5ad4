// What the device memory can do, as the measure of all kernels.

#include "algebra/cuda/backend.h"
#include "algebra/cuda/check.cuh"
#include "base/exceptions.h"

#include <algorithm>
#include <limits>

namespace adamant
{
namespace
{
// 16 bytes a thread: with 4 the memory is a third idle. A graph's own copies of 1 GB and more run no faster either, on the copy
// engines (benchmarks/cuda/copy_variants.cu, docs/benchmarks/gpu-notes.md).
__global__ void copy_kernel(long n, const float4 *from, float4 *to)
{
  cuda::wait_for_predecessor();
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
} // namespace

template <typename Number>
double CudaBackend<Number>::copy_bandwidth() const
{
  constexpr int repeat = 8, samples = 5;
  std::size_t   free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const long        n = static_cast<long>(std::min<std::size_t>(std::size_t(1) << 30, free / 4) / sizeof(float4));
  CudaArray<float4> from(context, n, "bandwidth"), to(context, n, "bandwidth");
  cuda::check(cudaMemsetAsync(from.data(), 0, n * sizeof(float4), context->stream()), "cudaMemsetAsync");
  const auto copies = record([&] {
    for (int i = 0; i < repeat; ++i)
      cuda::launch(*context, "copy", copy_kernel, cuda::blocks_for(n), cuda::block_size, n, from.data(), to.data());
  });
  return 2. * repeat * n * sizeof(float4) / seconds(copies, samples);
}

template <typename Number>
double CudaBackend<Number>::seconds(const Graph &graph, int samples) const
{
  const auto event = [] {
    cudaEvent_t                 created = nullptr;
    const cudaError_t           status  = cudaEventCreate(&created);
    std::shared_ptr<CUevent_st> owned(created, [](cudaEvent_t e) { cudaEventDestroy(e); });
    cuda::check(status, "cudaEventCreate");
    return owned;
  };
  const auto         begin = event(), end = event();
  std::vector<float> times(samples);
  replay(graph);
  for (float &time : times)
    {
      cuda::check(cudaEventRecord(begin.get(), context->stream()), "cudaEventRecord", "begin");
      replay(graph);
      cuda::check(cudaEventRecord(end.get(), context->stream()), "cudaEventRecord", "end");
      cuda::check(cudaEventSynchronize(end.get()), "cudaEventSynchronize", "end");
      cuda::check(cudaEventElapsedTime(&time, begin.get(), end.get()), "cudaEventElapsedTime");
    }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return 1e-3 * times[samples / 2];
}

template double CudaBackend<double>::copy_bandwidth() const;
template double CudaBackend<float>::copy_bandwidth() const;
template double CudaBackend<double>::seconds(const Graph &, int) const;
template double CudaBackend<float>::seconds(const Graph &, int) const;
} // namespace adamant
