#include "multigrid/smoothers/update_functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const InvertNodeBlocks<double> &);
template void for_each(const DeviceInterface &, int, const InvertNodeBlocks<float> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<double> &);
template void for_each(const DeviceInterface &, int, const InvertCellBlocks<float> &);
template void for_each(const DeviceInterface &, int, const FactorRows<16> &);
template void for_each(const DeviceInterface &, int, const FactorRows<48> &);
template void for_each(const DeviceInterface &, int, const Permute &);
template void for_each(const DeviceInterface &, int, const CopyRows &);
template void for_each(const DeviceInterface &, int, const MakeDense &);
} // namespace cuda
} // namespace adamant
