// Fast diagonalization's functors for the GPU.

#include "algebra/functors.cuh"
#include "solvers/fast_diagonalization_functors.h"

using namespace adamant;

template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<BFloat16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<BFloat16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<BFloat16, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<BFloat16, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<Float16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<Float16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<Float16, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<Float16, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, 8, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, 8, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<double, double, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, float, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, float, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, float, 8> &);
