// Fast diagonalization's functors for the GPU.

#include "algebra/functors.cuh"
#include "solvers/fast_diagonalization_functors.h"

using adamant::DeviceInterface, adamant::PackColumns, adamant::DivideByEigenvalues;
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<adamant::BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<adamant::Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const adamant::UnpackColumns &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<adamant::BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<adamant::Float16> &);
