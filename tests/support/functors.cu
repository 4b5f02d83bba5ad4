#include "support/functors.h"

#include "algebra/cuda/for_each.cuh"

template void adamant::CudaBackend<double>::for_each(int, const adamant::test::AddSquare<double> &) const;
template void adamant::CudaBackend<float>::for_each(int, const adamant::test::AddSquare<float> &) const;
