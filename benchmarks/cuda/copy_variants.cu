// How fast device memory is copied, by which means: what "the bandwidth" is that other kernels are measured against.

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/graph.h"

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

constexpr int repeat = 8, samples = 9;

// Median seconds of one of `repeat` calls of enqueue, recorded as one graph.
template <typename Enqueue>
double seconds_in_a_graph(const Device &device, const Enqueue &enqueue)
{
  const Graph graph(device, [&] {
    for (int i = 0; i < repeat; ++i)
      enqueue();
  });
  return graph.seconds() / repeat;
}

// Median seconds of one of `repeat` calls of enqueue, called one by one.
template <typename Enqueue>
double seconds_on_a_stream(cudaStream_t stream, const Enqueue &enqueue)
{
  cudaEvent_t begin, end;
  cuda::check(cudaEventCreate(&begin), "cudaEventCreate");
  cuda::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times(samples);
  enqueue();
  for (float &time : times)
    {
      cuda::check(cudaEventRecord(begin, stream), "cudaEventRecord");
      for (int i = 0; i < repeat; ++i)
        enqueue();
      cuda::check(cudaEventRecord(end, stream), "cudaEventRecord");
      cuda::check(cudaEventSynchronize(end), "cudaEventSynchronize");
      cuda::check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
    }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return 1e-3 * times[samples / 2] / repeat;
}

struct Copies
{
  Device      device;
  char       *from, *to;
  std::size_t bytes;

  const cuda::Context &context() const { return static_cast<const cuda::Context &>(device.interface()); }

  void line(const std::string &what, double seconds) const
  {
    std::printf("%9zu MiB, %-44s %8.3f TB/s read plus written\n", bytes >> 20, what.c_str(), 2e-12 * bytes / seconds);
    std::fflush(stdout);
  }
  template <typename T, int per_thread, bool streaming>
  void kernel(int threads) const
  {
    const long n    = static_cast<long>(bytes / sizeof(T));
    const auto time = seconds_in_a_graph(device, [&] {
      copy_kernel<T, per_thread, streaming>
        <<<cuda::blocks_for(n, per_thread * threads), threads, 0, context().stream()>>>(
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
  const Device            device  = Device::cuda();
  const cuda::Context    &context = static_cast<const cuda::Context &>(device.interface());
  constexpr std::size_t   most    = std::size_t(4) << 30;
  cuda::DeviceArray<char> from(context.memory_of_device(), most, "benchmark"),
    to(context.memory_of_device(), most, "benchmark");
  cuda::check(cudaMemsetAsync(from.data(), 1, most, context.stream()), "cudaMemsetAsync");
  for (const std::size_t megabytes : {16, 64, 256, 1024, 2048, 4096})
    {
      const Copies copies{device, from.data(), to.data(), megabytes << 20};
      const auto   copy = [&] {
        cuda::check(cudaMemcpyAsync(to.data(), from.data(), copies.bytes, cudaMemcpyDeviceToDevice, context.stream()),
                      "cudaMemcpyAsync");
      };
      copies.line("cudaMemcpyAsync, on a stream", seconds_on_a_stream(context.stream(), copy));
      copies.line("cudaMemcpyAsync, in a graph", seconds_in_a_graph(device, copy));
      copies.kernel<float, 1, false>(256);
      copies.kernel<double, 4, false>(256);
      copies.kernel<float4, 1, false>(256);
      copies.kernel<float4, 4, false>(256);
      copies.kernel<float4, 4, true>(256);
      copies.kernel<float4, 8, true>(256);
      copies.kernel<float4, 4, true>(512);
      copies.kernel<float4, 2, true>(1024);
    }
  std::printf("as the library measures it: %.3f TB/s\n", 1e-12 * device.interface().copy_bandwidth());
}
