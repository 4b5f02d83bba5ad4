// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "coefficients/extremes.h"

namespace adamant::cuda
{
template void for_each(const DeviceInterface &, int, const ExtremesOfGroup &);
} // namespace adamant::cuda
