#include "algebra/cuda_for_each.cuh"
#include "multigrid/fast_diagonalization.h"

template void adamant::CudaBackend<double>::for_each(int, const adamant::ApplyAlong &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::DivideByEigenvalues &) const;
