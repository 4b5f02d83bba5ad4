// How fast device memory is copied, by which means: what "the bandwidth" is that other kernels are measured against.

#include "algebra/cuda_backend.h"
#include "algebra/cuda_check.cuh"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace adamant;

namespace
{
template <typename T, int per_thread, bool streaming>
__global__ void copy_kernel(long n, const T *from, T *to)
{
  const long first = blockIdx.x * static_cast<long>(per_thread) * blockDim.x + threadIdx.x;
  T          value[per_thread];
#pragma unroll
  for (int k = 0; k < per_thread; ++k)
    if (first + k * blockDim.x < n)
      value[k] = streaming ? __ldcs(from + first + k * blockDim.x) : from[first + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < per_thread; ++k)
    if (first + k * blockDim.x < n)
      {
        if (streaming)
          __stcs(to + first + k * blockDim.x, value[k]);
        else
          to[first + k * blockDim.x] = value[k];
      }
}

// Median seconds of one of `repeat` calls of enqueue between two events, with a graph or without.
template <typename Enqueue>
double median_seconds(cudaStream_t stream, bool as_graph, const Enqueue &enqueue)
{
  constexpr int   repeat = 8, samples = 9;
  cudaGraph_t     graph;
  cudaGraphExec_t executable;
  if (as_graph)
    {
      cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
      for (int i = 0; i < repeat; ++i)
        enqueue();
      cuda::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
      cuda::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    }
  cudaEvent_t begin, end;
  cuda::check(cudaEventCreate(&begin), "cudaEventCreate");
  cuda::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int sample = -1; sample < samples; ++sample)
    {
      cuda::check(cudaEventRecord(begin, stream), "cudaEventRecord");
      for (int i = 0; i < (as_graph ? 1 : repeat); ++i)
        if (as_graph)
          cuda::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
        else
          enqueue();
      cuda::check(cudaEventRecord(end, stream), "cudaEventRecord");
      cuda::check(cudaEventSynchronize(end), "cudaEventSynchronize");
      float time;
      cuda::check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
      if (sample >= 0)
        times.push_back(time);
    }
  if (as_graph)
    {
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return 1e-3 * times[samples / 2] / repeat;
}

struct Copies
{
  std::shared_ptr<CudaContext> context;
  char                        *from, *to;
  std::size_t                  bytes;

  void line(const std::string &what, double seconds) const
  {
    std::printf("%9zu MiB, %-44s %8.3f TB/s read plus written\n", bytes >> 20, what.c_str(), 2e-12 * bytes / seconds);
    std::fflush(stdout);
  }
  template <typename T, int per_thread, bool streaming>
  void kernel(int threads) const
  {
    const long n    = static_cast<long>(bytes / sizeof(T));
    const auto time = median_seconds(context->stream(), true, [&] {
      copy_kernel<T, per_thread, streaming>
        <<<cuda::blocks_for(n, per_thread * threads), threads, 0, context->stream()>>>(
          n, reinterpret_cast<const T *>(from), reinterpret_cast<T *>(to));
    });
    line("kernel, " + std::to_string(per_thread) + " loads of " + std::to_string(sizeof(T)) + " bytes, " +
           std::to_string(threads) + " threads" + (streaming ? ", streaming" : ""),
         time);
  }
};
} // namespace

int main()
{
  const auto            context = std::make_shared<CudaContext>();
  constexpr std::size_t most    = std::size_t(4) << 30;
  CudaArray<char>       from(context, most, "benchmark"), to(context, most, "benchmark");
  cuda::check(cudaMemsetAsync(from.data(), 1, most, context->stream()), "cudaMemsetAsync");
  for (const std::size_t megabytes : {16, 64, 256, 1024, 2048, 4096})
    {
      const Copies copies{context, from.data(), to.data(), megabytes << 20};
      for (const bool as_graph : {false, true})
        copies.line(std::string("cudaMemcpyAsync, ") + (as_graph ? "in a graph" : "on a stream"),
                    median_seconds(context->stream(), as_graph, [&] {
                      cuda::check(cudaMemcpyAsync(to.data(), from.data(), copies.bytes, cudaMemcpyDeviceToDevice,
                                                  context->stream()),
                                  "cudaMemcpyAsync");
                    }));
      copies.kernel<float, 1, false>(256);
      copies.kernel<double, 4, false>(256);
      copies.kernel<float4, 1, false>(256);
      copies.kernel<float4, 4, false>(256);
      copies.kernel<float4, 4, true>(256);
      copies.kernel<float4, 8, true>(256);
      copies.kernel<float4, 4, true>(512);
      copies.kernel<float4, 2, true>(1024);
    }
  std::printf("as the library measures it: %.3f TB/s\n", 1e-12 * CudaBackend<double>(context).copy_bandwidth());
}
