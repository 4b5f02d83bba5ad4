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
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<float, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<BFloat16, 8> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const DivideByEigenvalues<Float16, 8> &);

// Lines are few and long: a warp in a block, so that all multiprocessors have some.
template <int W>
void solve_lines(const DeviceInterface &device, int n, const SolveLines<W> &f)
{
  using namespace adamant::cuda;
  launch(static_cast<const Context &>(device), __PRETTY_FUNCTION__, for_each_kernel<SolveLines<W>>, blocks_for(n, 32),
         32, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SolveLines<1> &f)
{
  solve_lines(device, n, f);
}
template <>
void adamant::cuda::for_each(const DeviceInterface &device, int n, const SolveLines<2> &f)
{
  solve_lines(device, n, f);
}
