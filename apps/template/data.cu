// The functors of the template for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

using adamant::PointValues;
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const PointValues<2, heat::Exact<2>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const PointValues<3, heat::Exact<3>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const PointValues<2, heat::Source<2>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const PointValues<3, heat::Source<3>> &);
