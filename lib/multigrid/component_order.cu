#include "multigrid/component_order.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ToComponents &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ToNodes &);
