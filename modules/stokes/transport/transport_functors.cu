#include "stokes/transport/transport_functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, PlainMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, PlainMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, SkewTransport<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, SkewTransport<3>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, PlainLaplacian<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, PlainLaplacian<3>> &);
template void for_each(const DeviceInterface &, int, const AtQuadraturePoints<2, StoreAtPoints> &);
template void for_each(const DeviceInterface &, int, const AtQuadraturePoints<3, StoreAtPoints> &);
template void for_each(const DeviceInterface &, int, const SumRows &);
template void for_each(const DeviceInterface &, int, const AddPotentialFlow &);
template void for_each(const DeviceInterface &, int, const TransportRate &);
template void for_each(const DeviceInterface &, int, const LowOrderStep &);
template void for_each(const DeviceInterface &, int, const MassStep &);
template void for_each(const DeviceInterface &, int, const FluxLimits &);
template void for_each(const DeviceInterface &, int, const LimitedStep &);
} // namespace cuda
} // namespace adamant
