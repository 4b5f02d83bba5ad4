#include "stokes/stokes_kernels.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, ShapedViscousStress<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, ShapedViscousStress<3>> &);
template void for_each(const DeviceInterface &, int, const ViscousStressOfShapes<2> &);
template void for_each(const DeviceInterface &, int, const ViscousStressOfShapes<3> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, WeightedMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, WeightedMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, WeightedLaplacian> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, WeightedLaplacian> &);
template void for_each(const DeviceInterface &, int, const ToFirstNodes &);
template void for_each(const DeviceInterface &, int, const Power &);
template void for_each(const DeviceInterface &, int, const InvertPositive &);
} // namespace cuda
} // namespace adamant
