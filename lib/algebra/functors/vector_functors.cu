#include "algebra/functors/vector_functors.h"

#include "algebra/cell_sums.h"
#include "algebra/functors.cuh"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const Convert<double, double> &);
template void for_each(const DeviceInterface &, int, const Convert<double, float> &);
template void for_each(const DeviceInterface &, int, const Convert<float, double> &);
template void for_each(const DeviceInterface &, int, const Convert<float, float> &);
template void for_each(const DeviceInterface &, int, const Scale<double> &);
template void for_each(const DeviceInterface &, int, const Scale<float> &);
template void for_each(const DeviceInterface &, int, const AddScaled<double> &);
template void for_each(const DeviceInterface &, int, const AddScaled<float> &);
template void for_each(const DeviceInterface &, int, const Gather<double, double> &);
template void for_each(const DeviceInterface &, int, const ToComponents &);
template void for_each(const DeviceInterface &, int, const ToNodes &);
template void for_each(const DeviceInterface &, int, const RandomSigns &);
template void sums(const DeviceInterface &, int, const InnerProduct<double> &, double *, const ToHost &,
                   const LoopAnswer &);
template void sums(const DeviceInterface &, int, const InnerProduct<float> &, double *, const ToHost &,
                   const LoopAnswer &);
template void sums(const DeviceInterface &, int, const Squares<double> &, double *, const ToHost &, const LoopAnswer &);
template void sums(const DeviceInterface &, int, const Squares<float> &, double *, const ToHost &, const LoopAnswer &);

template void for_each(const DeviceInterface &, int, const SumOverCells<0> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<4> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<8> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<9> &);
template void for_each(const DeviceInterface &, int, const SumOverCells<27> &);
} // namespace adamant::cuda
