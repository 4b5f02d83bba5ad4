#include "support/functors.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::AddSquare<double> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::AddSquare<float> &);
