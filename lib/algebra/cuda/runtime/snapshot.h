#pragma once

#include "algebra/cuda/runtime/context.h"

#include <memory>

namespace adamant::cuda
{
/// A place on the context's stream.
class Mark : public MarkStorage
{
public:
  explicit Mark(std::shared_ptr<Context> context);

  void take() override;
  void wait() const override;

private:
  std::shared_ptr<Context>    context;
  std::shared_ptr<CUevent_st> taken;
};

/// Values that are set aside on the device and sent on a stream of their own, so that later operations neither wait for
/// them nor change them.
class Snapshot : public SnapshotStorage
{
public:
  Snapshot(std::shared_ptr<Context> context, int n);

  double       *on_device() override { return set_aside.data(); }
  void          send() override;
  const double *values() const override;

private:
  std::shared_ptr<Context>     context;
  DeviceArray<double>          set_aside;
  std::shared_ptr<double>      on_host;
  std::shared_ptr<CUstream_st> stream;
  std::shared_ptr<CUevent_st>  taken, arrived;
};
} // namespace adamant::cuda
