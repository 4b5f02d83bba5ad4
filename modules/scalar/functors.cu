// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "scalar/nonlinear_kernels.h"
#include "scalar/scalar_kernels.h"
#include "scalar/transport/transport_functors.h"

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
template void for_each(const DeviceInterface &, int, const MeansOfCell &);

template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, PlainMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, PlainMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, PlainLaplacian> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, PlainLaplacian> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, SkewTransport<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, SkewTransport<3>> &);
template void for_each(const DeviceInterface &, int, const SumRows &);
template void for_each(const DeviceInterface &, int, const AddPotentialFlow &);
template void for_each(const DeviceInterface &, int, const TransportRate &);
template void for_each(const DeviceInterface &, int, const LowOrderStep &);
template void for_each(const DeviceInterface &, int, const MassStep &);
template void for_each(const DeviceInterface &, int, const FluxLimits &);
template void for_each(const DeviceInterface &, int, const LimitedStep &);
} // namespace adamant::cuda
