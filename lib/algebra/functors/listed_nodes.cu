// The functors of listed nodes for the GPU.

#include "algebra/functors.cuh"
#include "algebra/functors/listed_nodes.h"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::SetAtNodes &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ChooseCandidate &);
