// The functors of flow for the GPU.

#include "algebra/functors.cuh"
#include "flow/bundle/bundle_functors.cuh"
#include "flow/flow_functors.h"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const VelocityProducts<2> &);
template void for_each(const DeviceInterface &, int, const VelocityProducts<3> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<2> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<3> &);
template void for_each(const DeviceInterface &, int, const SetAtNodes &);
template void for_each(const DeviceInterface &, int, const ChooseCandidate &);

template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<3> &);
} // namespace cuda
} // namespace adamant
