// The functors of fem for the GPU.

#include "algebra/functors.cuh"
#include "fem/forms/cell_kernel.h"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::SetOnes &);

using adamant::AssembleBlocks;
using adamant::LocalMatrices;
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int,
                                      const AssembleBlocks<2, LocalMatrices<1, 1>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int,
                                      const AssembleBlocks<3, LocalMatrices<1, 1>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int,
                                      const AssembleBlocks<2, LocalMatrices<2, 2>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int,
                                      const AssembleBlocks<3, LocalMatrices<3, 3>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::FindContributions &);
