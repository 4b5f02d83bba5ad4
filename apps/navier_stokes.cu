// The functors of the Navier-Stokes program for the GPU.

#include "navier_stokes_data.h"

#include "algebra/cuda_for_each.cuh"
#include "multigrid/fast_diagonalization.h"

template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::SetBoundaryValues &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::Interpolate &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::PressureRhs &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::PressureUpdate &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::ApplyAlong &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::DivideByEigenvalues &) const;
