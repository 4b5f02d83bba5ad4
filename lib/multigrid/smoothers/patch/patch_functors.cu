#include "multigrid/smoothers/patch/patch_functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<double, 12> &);
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<float, 12> &);
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<double, 32> &);
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<float, 32> &);
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<double, 0> &);
template void for_each_by_lanes(const DeviceInterface &, int, const InvertPatches<float, 0> &);
template void for_each_by_lanes(const DeviceInterface &, int, const SumPatches<double> &);
template void for_each_by_lanes(const DeviceInterface &, int, const SumPatches<float> &);
template void for_each(const DeviceInterface &, int, const SolvePatches<double> &);
template void for_each(const DeviceInterface &, int, const SolvePatches<float> &);
} // namespace cuda
} // namespace adamant
