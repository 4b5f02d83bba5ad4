// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "coefficients/average_functors.h"
#include "coefficients/extremes.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const ExtremesOfGroup &);
template void for_each(const DeviceInterface &, int, const ForAverage &);
} // namespace adamant::cuda
