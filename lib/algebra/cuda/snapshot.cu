#include "algebra/cuda/backend.h"
#include "algebra/cuda/event.cuh"

#include <algorithm>

namespace adamant
{
CudaSnapshot::CudaSnapshot(const std::shared_ptr<CudaContext> &context, int n)
  : on_device(context, n, "snapshots")
{
  cudaStream_t      own     = nullptr;
  const cudaError_t created = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  stream.reset(own, [](cudaStream_t s) { cudaStreamDestroy(s); });
  cuda::check(created, "cudaStreamCreateWithFlags");
  double           *memory    = nullptr;
  const std::size_t bytes     = std::max(n, 1) * sizeof(double);
  const cudaError_t allocated = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
  on_host                     = {memory, [](double *p) { cudaFreeHost(p); }};
  cuda::check(allocated, "cudaHostAlloc", bytes);
  taken   = cuda::create_event();
  arrived = cuda::create_event();
}

void CudaSnapshot::send(CUstream_st *main_stream)
{
  cuda::check(cudaEventRecord(taken.get(), main_stream), "cudaEventRecord", "taken");
  cuda::check(cudaStreamWaitEvent(stream.get(), taken.get(), 0), "cudaStreamWaitEvent", "taken");
  cuda::check(cudaMemcpyAsync(on_host.get(), on_device.data(), on_device.size() * sizeof(double),
                              cudaMemcpyDeviceToHost, stream.get()),
              "cudaMemcpyAsync", on_host.get(), on_device.data(), on_device.size() * sizeof(double), "to host");
  cuda::check(cudaEventRecord(arrived.get(), stream.get()), "cudaEventRecord", "arrived");
}

const double *CudaSnapshot::values() const
{
  cuda::check(cudaEventSynchronize(arrived.get()), "cudaEventSynchronize", "arrived");
  return on_host.get();
}
} // namespace adamant
