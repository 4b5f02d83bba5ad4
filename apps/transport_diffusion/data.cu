// The functors of transport-diffusion for the GPU.

#include "data.h"

#include "algebra/cuda/for_each.cuh"

template void adamant::CudaBackend<double>::for_each(int, const transport_diffusion::ExactValues<2> &) const;
template void adamant::CudaBackend<double>::for_each(int, const transport_diffusion::ExactValues<3> &) const;
template void adamant::CudaBackend<double>::for_each(int, const transport_diffusion::SourceValues<2> &) const;
template void adamant::CudaBackend<double>::for_each(int, const transport_diffusion::SourceValues<3> &) const;
