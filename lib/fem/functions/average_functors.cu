#include "fem/functions/average_functors.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::AverageInCells &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::Reciprocal &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::Logarithm &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::Exponential &);
