#include "stokes/remove_mean.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::RemoveMean<double> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::RemoveMean<float> &);
