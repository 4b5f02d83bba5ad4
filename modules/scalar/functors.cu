// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "scalar/scalar_kernels.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, ScalarKernel<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, ScalarKernel<3>> &);
template void for_each(const DeviceInterface &, int, const UpwindShift<2> &);
template void for_each(const DeviceInterface &, int, const UpwindShift<3> &);
template void for_each(const DeviceInterface &, int, const ProductAtPoints &);
} // namespace adamant::cuda
