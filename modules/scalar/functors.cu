// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "scalar/nonlinear_kernels.h"
#include "scalar/scalar_kernels.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, ScalarKernel<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, ScalarKernel<3>> &);
template void for_each(const DeviceInterface &, int, const UpwindShift<2> &);
template void for_each(const DeviceInterface &, int, const UpwindShift<3> &);
template void for_each(const DeviceInterface &, int, const ProductAtPoints &);

template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, NonlinearKernel<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, NonlinearKernel<3>> &);
template void for_each(const DeviceInterface &, int, const AtQuadraturePoints<2, StoreSolution<2>> &);
template void for_each(const DeviceInterface &, int, const AtQuadraturePoints<3, StoreSolution<3>> &);
template void for_each(const DeviceInterface &, int, const ResidualAtPoint<2> &);
template void for_each(const DeviceInterface &, int, const ResidualAtPoint<3> &);
} // namespace adamant::cuda
