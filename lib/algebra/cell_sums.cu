#include "algebra/cell_sums.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const SumOverCells<0> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<4> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<8> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<9> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<27> &);
} // namespace cuda
} // namespace adamant
