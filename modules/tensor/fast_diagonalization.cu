// Fast diagonalization's functors for the GPU.

#include "algebra/functors.cuh"
#include "tensor/fast_diagonalization_functors.h"

using namespace adamant;

template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<double, double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, float, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, float, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<float, float, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, BFloat16, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, BFloat16, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<BFloat16, float, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 1, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 1, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 1, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 2, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 2, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 4, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 4, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<double, Float16, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, double, 2, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PackColumns<float, Float16, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const UnpackColumns<Float16, float, 4, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScaleEigenvectors &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundScaled<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundScaled<BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundScaled<Float16> &);

template void adamant::cuda::for_each(const DeviceInterface &, int, const MeetInLines<1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const MeetInLines<2> &);

// Lines are few and long: a warp in a block, so that all multiprocessors have some.
template <int W, bool towards>
void sweep_lines(const DeviceInterface &device, int n, const SweepLines<W, towards> &f)
{
  using namespace adamant::cuda;
  launch(static_cast<const Context &>(device), __PRETTY_FUNCTION__, for_each_kernel<SweepLines<W, towards>>,
         blocks_for(n, 32), 32, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SweepLines<1, true> &f)
{
  sweep_lines(device, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SweepLines<1, false> &f)
{
  sweep_lines(device, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SweepLines<2, true> &f)
{
  sweep_lines(device, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SweepLines<2, false> &f)
{
  sweep_lines(device, n, f);
}
