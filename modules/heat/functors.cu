// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "heat/heat_kernels.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, HeatKernel<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, HeatKernel<3>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, LumpedHeatKernel<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, LumpedHeatKernel<3>> &);
template void for_each(const DeviceInterface &, int, const FlowAtPoints<2> &);
template void for_each(const DeviceInterface &, int, const FlowAtPoints<3> &);
template void for_each(const DeviceInterface &, int, const HeatResidual<2> &);
template void for_each(const DeviceInterface &, int, const HeatResidual<3> &);
template void for_each(const DeviceInterface &, int, const HeatLoads<2> &);
template void for_each(const DeviceInterface &, int, const HeatLoads<3> &);
template void for_each(const DeviceInterface &, int, const HeatOfDivergence<2> &);
template void for_each(const DeviceInterface &, int, const HeatOfDivergence<3> &);
template void for_each(const DeviceInterface &, int, const PrescribedChange &);
template void for_each(const DeviceInterface &, int, const DiffusionRhs &);
template void for_each(const DeviceInterface &, int, const TakeChange &);
template void for_each(const DeviceInterface &, int, const PecletNumber<2> &);
template void for_each(const DeviceInterface &, int, const PecletNumber<3> &);
} // namespace adamant::cuda
