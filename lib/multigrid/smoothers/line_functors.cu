#include "multigrid/smoothers/line_functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const GatherTridiagonal &);
template void for_each(const DeviceInterface &, int, const FactorPieces<double> &);
template void for_each(const DeviceInterface &, int, const FactorPieces<float> &);
template void for_each(const DeviceInterface &, int, const FactorSeparators &);
template void for_each(const DeviceInterface &, int, const SolvePieces<double> &);
template void for_each(const DeviceInterface &, int, const SolvePieces<float> &);
template void for_each(const DeviceInterface &, int, const SeparatorResidual<double> &);
template void for_each(const DeviceInterface &, int, const SeparatorResidual<float> &);
template void for_each(const DeviceInterface &, int, const TakeSolution<double> &);
template void for_each(const DeviceInterface &, int, const TakeSolution<float> &);
template void for_each(const DeviceInterface &, int, const CorrectBySolution<double> &);
template void for_each(const DeviceInterface &, int, const CorrectBySolution<float> &);
} // namespace cuda
} // namespace adamant
