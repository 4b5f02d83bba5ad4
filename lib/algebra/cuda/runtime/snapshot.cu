#include "algebra/cuda/runtime/snapshot.h"

#include "algebra/cuda/runtime/batch.cuh"
#include "algebra/cuda/runtime/check.cuh"

#include <algorithm>
#include <utility>

namespace adamant::cuda
{
Mark::Mark(std::shared_ptr<Context> context_)
  : context(std::move(context_))
  , taken(create_event())
{}

void Mark::take()
{
  if (Batch *batch = context->open_batch())
    return batch->add(taken);
  check(cudaEventRecord(taken.get(), context->stream()), "cudaEventRecord", "mark");
}

void Mark::wait() const
{
  if (Batch *batch = context->open_batch(); batch && batch->holds(taken.get()))
    batch->launch_waiting();
  check(cudaEventSynchronize(taken.get()), "cudaEventSynchronize", "mark");
}

Snapshot::Snapshot(std::shared_ptr<Context> context_, int n)
  : context(std::move(context_))
  , set_aside(context->memory_of_device(), n, "snapshots")
{
  cudaStream_t      own     = nullptr;
  const cudaError_t created = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  stream.reset(own, [](cudaStream_t s) { cudaStreamDestroy(s); });
  check(created, "cudaStreamCreateWithFlags");
  double           *memory    = nullptr;
  const std::size_t bytes     = std::max(n, 1) * sizeof(double);
  const cudaError_t allocated = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
  on_host.reset(memory, [](double *p) { cudaFreeHost(p); });
  check(allocated, "cudaHostAlloc", bytes);
  taken   = create_event();
  arrived = create_event();
}

void Snapshot::send()
{
  check(cudaEventRecord(taken.get(), context->stream()), "cudaEventRecord", "taken");
  check(cudaStreamWaitEvent(stream.get(), taken.get(), 0), "cudaStreamWaitEvent", "taken");
  check(cudaMemcpyAsync(on_host.get(), set_aside.data(), set_aside.size() * sizeof(double), cudaMemcpyDeviceToHost,
                        stream.get()),
        "cudaMemcpyAsync", on_host.get(), set_aside.data(), set_aside.size() * sizeof(double), "to host");
  check(cudaEventRecord(arrived.get(), stream.get()), "cudaEventRecord", "arrived");
}

const double *Snapshot::values() const
{
  check(cudaEventSynchronize(arrived.get()), "cudaEventSynchronize", "arrived");
  return on_host.get();
}
} // namespace adamant::cuda
