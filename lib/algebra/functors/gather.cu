#include "algebra/functors/gather.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each(const DeviceInterface &, int, const Gather<double, double> &);
template void for_each(const DeviceInterface &, int, const Gather<double, float> &);
template void for_each(const DeviceInterface &, int, const Gather<float, double> &);
} // namespace cuda
} // namespace adamant
