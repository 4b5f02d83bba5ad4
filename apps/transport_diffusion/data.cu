// The functors of transport-diffusion for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

using namespace adamant;
using namespace transport_diffusion;

template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<2, ExactSolution<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<3, ExactSolution<3>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<2, Source<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<3, Source<3>> &);
