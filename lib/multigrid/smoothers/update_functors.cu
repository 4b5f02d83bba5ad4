#include "multigrid/smoothers/update_functors.h"

#include "algebra/functors.cuh"
#include "multigrid/harmonic_functors.h"
#include "multigrid/smoothers/line/line_functors.h"
#include "multigrid/smoothers/patch/patch_functors.h"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const InvertNodeBlocks<double> &);
template void for_each(const DeviceInterface &, int, const InvertNodeBlocks<float> &);
template void for_each(const DeviceInterface &, int, const FactorRows<16> &);
template void for_each(const DeviceInterface &, int, const FactorRows<48> &);
template void for_each(const DeviceInterface &, int, const Permute &);
template void for_each(const DeviceInterface &, int, const CopyRows &);
template void for_each(const DeviceInterface &, int, const MakeDense &);

template void for_each_by_teams(const DeviceInterface &, int, int, const InvertTiny<double> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const InvertTiny<float> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const InvertSmall<double> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const InvertSmall<float> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const InvertLarge<double> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const InvertLarge<float> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const SumPatches<double> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const SumPatches<float> &);
template void for_each_by_lanes(const DeviceInterface &, int, const MultiplyAround &);
template void for_each_by_lanes(const DeviceInterface &, int, const SolveInside &);
template void for_each(const DeviceInterface &, int, const SolvePatches<double> &);
template void for_each(const DeviceInterface &, int, const SolvePatches<float> &);

template void for_each(const DeviceInterface &, int, const GatherTridiagonal &);
template void for_each_by_teams(const DeviceInterface &, int, int, const FactorLines<double> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const FactorLines<float> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const SolveLines<double, TakeSolution<double>> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const SolveLines<float, TakeSolution<float>> &);
template void for_each_by_teams(const DeviceInterface &, int, int,
                                const SolveLines<double, CorrectBySolution<double>> &);
template void for_each_by_teams(const DeviceInterface &, int, int, const SolveLines<float, CorrectBySolution<float>> &);
} // namespace cuda
} // namespace adamant
