// The equation data for the GPU: each functor that the program gives to for_each.

#include "data.h"

#include "algebra/cuda/for_each.cuh"

using adamant::PointValues;

template void adamant::CudaBackend<double>::for_each(int, const PointValues<2, heat::Exact<2>> &) const;
template void adamant::CudaBackend<double>::for_each(int, const PointValues<3, heat::Exact<3>> &) const;
template void adamant::CudaBackend<double>::for_each(int, const PointValues<2, heat::Source<2>> &) const;
template void adamant::CudaBackend<double>::for_each(int, const PointValues<3, heat::Source<3>> &) const;
