// Bundles on a GPU, and the module's functors for it.

#include "algebra/functors.cuh"
#include "flow/bundle/bundle.cuh"
#include "flow/flow_functors.h"

namespace adamant::cuda
{
namespace
{
template <typename T>
DeviceArray<T> upload(const Context &context, const Array<T> &source)
{
  return to_device(context, source.data(), source.size(), "matrices");
}
} // namespace

Bundle::OnDevice::OnDevice(const Context &context, const PackedMatrices &source)
  : n_rows(source.n_rows)
  , bytes(source.bytes())
  , slices(upload(context, source.slices))
  , offset(upload(context, source.offset))
  , column(upload(context, source.column))
  , value(upload(context, source.value))
{}

Bundle::Bundle(const std::shared_ptr<Context> &context, const std::vector<const CSRMatrix<double> *> &matrices,
               int n_values)
  : BundleStorage(*matrices[0], static_cast<int>(matrices.size()), n_values)
  , owned(*context, pack(matrices, lanes))
{
  const PackedGhosts source = pack_ghosts(matrices, lanes);
  if (!source.plan || (source.plan->sends.empty() && source.plan->receives.empty()))
    return;
  ghosts     = std::make_unique<OnDevice>(*context, source.entries);
  ghost_rows = upload(*context, source.row);
  exchange   = std::make_shared<Exchange<double>>(context, source.plan, n_values);
}

std::shared_ptr<BundleStorage> make_bundle(DeviceInterface                              &device,
                                           const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
{
  return std::make_shared<Bundle>(static_cast<Context &>(device).shared_from_this(), matrices, n_values);
}

template void for_each(const DeviceInterface &, int, const VelocityProducts<2> &);
template void for_each(const DeviceInterface &, int, const VelocityProducts<3> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<2> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<3> &);
template void for_each(const DeviceInterface &, int, const KeepMoving &);
template void for_each(const DeviceInterface &, int, const PressureRhs &);
template void for_each(const DeviceInterface &, int, const PressureUpdate &);
template void for_each(const DeviceInterface &, int, const SetAtNodes &);
template void for_each(const DeviceInterface &, int, const ChooseCandidate &);

template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<3> &);
} // namespace adamant::cuda
