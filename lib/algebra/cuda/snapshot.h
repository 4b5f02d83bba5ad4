#pragma once

#include "algebra/cuda/context.h"

#include <memory>

namespace adamant
{
namespace cuda
{
/// Values that are set aside on the device and sent on a stream of their own, so that the operations that follow
/// neither wait nor change them.
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
} // namespace cuda
} // namespace adamant
