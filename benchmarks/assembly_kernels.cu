#include "assembly_kernels.h"

#include "algebra/functors.cuh"

using namespace adamant;
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<2, TransportStep> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<3, TransportStep> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<3, ElasticStep> &);
