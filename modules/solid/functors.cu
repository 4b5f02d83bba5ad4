// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "algebra/functors/vector_functors.h"
#include "solid/energy_kernels.h"
#include "solid/motion/conserving_kernels.h"
#include "solid/solid_kernels.h"
#include "solid/sums_of_cells.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const LocalTangents<2> &);
template void for_each(const DeviceInterface &, int, const LocalTangents<3> &);
template void for_each(const DeviceInterface &, int, const Deformation<2> &);
template void for_each(const DeviceInterface &, int, const Deformation<3> &);
template void for_each(const DeviceInterface &, int, const Moduli<2> &);
template void for_each(const DeviceInterface &, int, const Moduli<3> &);
template void for_each(const DeviceInterface &, int, const MeansInCells &);
template void for_each(const DeviceInterface &, int, const MeanDeformation<2> &);
template void for_each(const DeviceInterface &, int, const MeanDeformation<3> &);
template void for_each(const DeviceInterface &, int, const ReplaceInverted<2> &);
template void for_each(const DeviceInterface &, int, const ReplaceInverted<3> &);
template void for_each(const DeviceInterface &, int, const Stress<2> &);
template void for_each(const DeviceInterface &, int, const Stress<3> &);
template void for_each(const DeviceInterface &, int, const StressChange<2> &);
template void for_each(const DeviceInterface &, int, const StressChange<3> &);
template void for_each(const DeviceInterface &, int, const Forces<2> &);
template void for_each(const DeviceInterface &, int, const Forces<3> &);
template void for_each(const DeviceInterface &, int, const ResultsInCells<2> &);
template void for_each(const DeviceInterface &, int, const ResultsInCells<3> &);
template void for_each(const DeviceInterface &, int, const PartsOfCells &);
template void for_each(const DeviceInterface &, int, const OrthonormalFunctions<2> &);
template void for_each(const DeviceInterface &, int, const OrthonormalFunctions<3> &);
template void for_each(const DeviceInterface &, int, const FunctionsAtPoints &);
template void for_each(const DeviceInterface &, int, const ProjectionsOfFunctions &);
template void for_each(const DeviceInterface &, int, const Dilatation &);
template void for_each(const DeviceInterface &, int, const InvariantsOf<2> &);
template void for_each(const DeviceInterface &, int, const InvariantsOf<3> &);
template void for_each(const DeviceInterface &, int, const StoreShape<2> &);
template void for_each(const DeviceInterface &, int, const StoreShape<3> &);
template void for_each(const DeviceInterface &, int, const DilatationsOf &);
template void for_each(const DeviceInterface &, int, const StoreVolumetric &);
template void for_each(const DeviceInterface &, int, const MeansOfFunctions &);
template void for_each(const DeviceInterface &, int, const ConstantDilatation &);
template void for_each(const DeviceInterface &, int, const DilatationGradients<2> &);
template void for_each(const DeviceInterface &, int, const DilatationGradients<3> &);
template void for_each(const DeviceInterface &, int, const FollowingPressure<2> &);
template void for_each(const DeviceInterface &, int, const FollowingPressure<3> &);
template void for_each(const DeviceInterface &, int, const FaceTraction<2> &);
template void for_each(const DeviceInterface &, int, const FaceTraction<3> &);
template void for_each(const DeviceInterface &, int, const FaceTractionChange<2> &);
template void for_each(const DeviceInterface &, int, const FaceTractionChange<3> &);
template void for_each(const DeviceInterface &, int, const ValuesOfNodes<2> &);
template void for_each(const DeviceInterface &, int, const ValuesOfNodes<3> &);
template void for_each(const DeviceInterface &, int, const MotionInCells<2> &);
template void for_each(const DeviceInterface &, int, const MotionInCells<3> &);
template void for_each(const DeviceInterface &, int, const ConservingStress<2> &);
template void for_each(const DeviceInterface &, int, const ConservingStress<3> &);
template void for_each(const DeviceInterface &, int, const ConservingModuli<2> &);
template void for_each(const DeviceInterface &, int, const ConservingModuli<3> &);
template void for_each(const DeviceInterface &, int, const ConservingStressChange<2> &);
template void for_each(const DeviceInterface &, int, const ConservingStressChange<3> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<2, ConservingTangent<2>> &);
template void for_each(const DeviceInterface &, int, const AssembleBlocks<3, ConservingTangent<3>> &);
template void sums(const DeviceInterface &, int, const CountInverted &, double *);
template void sums(const DeviceInterface &, int, const CountNoNumbers &, double *);
template void sums(const DeviceInterface &, int, const CountInverted &, double *, const ToHost &, const LoopAnswer &);
template void sums(const DeviceInterface &, int, const CountNoNumbers &, double *, const ToHost &, const LoopAnswer &);
} // namespace adamant::cuda
