#include "algebra/cuda/runtime/batch.cuh"

#include <algorithm>
#include <utility>

namespace adamant::cuda
{
namespace
{
class Mark : public MarkStorage
{
public:
  explicit Mark(std::shared_ptr<Context> context)
    : context(std::move(context))
  {}

  void take() override
  {
    if (Batch *batch = context->open_batch())
      return batch->add(taken);
    check(cudaEventRecord(taken.get(), context->stream()), "cudaEventRecord", "mark");
  }
  void wait() const override
  {
    if (Batch *batch = context->open_batch(); batch && batch->holds(taken.get()))
      batch->launch_waiting();
    check(cudaEventSynchronize(taken.get()), "cudaEventSynchronize", "mark");
  }

private:
  std::shared_ptr<Context>    context;
  std::shared_ptr<CUevent_st> taken = create_event();
};

// Values that are set aside on the device and sent on a stream of their own, so that later operations neither wait for
// them nor change them.
class Snapshot : public SnapshotStorage
{
public:
  Snapshot(std::shared_ptr<Context> context_, int n)
    : context(std::move(context_))
    , set_aside(context->memory_of_device(), n, "snapshots")
    , on_host(pinned_memory<double>(std::max(n, 1), cudaHostAllocDefault))
  {}

  double *on_device() override { return set_aside.data(); }
  void    send() override
  {
    check(cudaEventRecord(taken.get(), context->stream()), "cudaEventRecord", "taken");
    check(cudaStreamWaitEvent(stream.get(), taken.get(), 0), "cudaStreamWaitEvent", "taken");
    check(cudaMemcpyAsync(on_host.get(), set_aside.data(), set_aside.size() * sizeof(double), cudaMemcpyDeviceToHost,
                          stream.get()),
          "cudaMemcpyAsync", on_host.get(), set_aside.data(), set_aside.size() * sizeof(double), "to host");
    check(cudaEventRecord(arrived.get(), stream.get()), "cudaEventRecord", "arrived");
  }
  const double *values() const override
  {
    check(cudaEventSynchronize(arrived.get()), "cudaEventSynchronize", "arrived");
    return on_host.get();
  }

private:
  std::shared_ptr<Context>     context;
  DeviceArray<double>          set_aside;
  std::shared_ptr<double>      on_host;
  std::shared_ptr<CUstream_st> stream = create_stream();
  std::shared_ptr<CUevent_st>  taken = create_event(), arrived = create_event();
};
} // namespace

std::shared_ptr<MarkStorage> Context::create_mark()
{
  return std::make_shared<Mark>(shared_from_this());
}

std::shared_ptr<SnapshotStorage> Context::create_snapshot(int n)
{
  return std::make_shared<Snapshot>(shared_from_this(), n);
}
} // namespace adamant::cuda
