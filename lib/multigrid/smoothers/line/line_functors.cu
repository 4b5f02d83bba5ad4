#include "multigrid/smoothers/line/line_functors.h"

#include "algebra/functors.cuh"
#include "algebra/team_functors.cuh"

namespace adamant
{
namespace cuda
{
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
