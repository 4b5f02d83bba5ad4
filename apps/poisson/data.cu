// The functors of poisson for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const poisson::RandomColumns &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const poisson::FirstColumns &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const poisson::AddSamples &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const poisson::SubtractMultiple &);
