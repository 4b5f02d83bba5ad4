// Fast diagonalization's functors for the GPU.

#include "algebra/functors.cuh"
#include "solvers/fast_diagonalization.h"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ApplyAlong &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::DivideByEigenvalues &);
