#include "algebra/cuda/for_each.cuh"
#include "solvers/fast_diagonalization.h"

template void adamant::CudaBackend<double>::for_each(int, const adamant::ApplyAlong &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::DivideByEigenvalues &) const;
