// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "stokes/scaled_product.h"
#include "stokes/stokes_kernels.h"
#include "stokes/strain_kernels.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, ShapedViscousStress<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, ShapedViscousStress<3>> &);
template void for_each(const DeviceInterface &, int, const ViscousStressOfShapes<2> &);
template void for_each(const DeviceInterface &, int, const ViscousStressOfShapes<3> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, WeightedMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, WeightedMass> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, WeightedLaplacian> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, WeightedLaplacian> &);
template void for_each(const DeviceInterface &, int, const AverageInCells &);
template void for_each(const DeviceInterface &, int, const RatioInCells &);
template void for_each(const DeviceInterface &, int, const Power &);
template void for_each(const DeviceInterface &, int, const InvertPositive &);
template void for_each(const DeviceInterface &, int, const RemoveMean<double> &);
template void for_each(const DeviceInterface &, int, const RemoveMean<float> &);
template void for_each(const DeviceInterface &, int, const ScaledProductEntry &);
template void for_each(const DeviceInterface &, int, const PowerInCell<2> &);
template void for_each(const DeviceInterface &, int, const PowerInCell<3> &);
template void for_each(const DeviceInterface &, int, const StoreStrain<2> &);
template void for_each(const DeviceInterface &, int, const StoreStrain<3> &);
template void for_each(const DeviceInterface &, int, const TangentFactor &);
template void for_each(const DeviceInterface &, int, const TangentStress<2> &);
template void for_each(const DeviceInterface &, int, const TangentStress<3> &);
template void for_each(const DeviceInterface &, int, const LoadsOfStress<2> &);
template void for_each(const DeviceInterface &, int, const LoadsOfStress<3> &);
} // namespace adamant::cuda
