// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "tensor/dense_products.h"
#include "tensor/fast_diagonalization_functors.h"

namespace adamant::cuda
{
double free_bytes()
{
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<double>(free);
}

#define INSTANTIATE(...) template void for_each(const DeviceInterface &, int, const __VA_ARGS__ &);
INSTANTIATE(CopyBlock)
INSTANTIATE(PartialSquares<double>)
INSTANTIATE(PartialSquares<float>)
INSTANTIATE(SumParts)
INSTANTIATE(ColumnScales)
INSTANTIATE(LowPrecisionScales)
INSTANTIATE(ScaleColumns)
INSTANTIATE(GatherColumns)
INSTANTIATE(ScatterColumns)

// W columns of right-hand sides of the type Outer at a time, which products store as T: for all numbers of corners.
#define CHANGE_LAYOUT(Outer, T, W)           \
  INSTANTIATE(PackColumns<Outer, T, W, 1>)   \
  INSTANTIATE(PackColumns<Outer, T, W, 4>)   \
  INSTANTIATE(PackColumns<Outer, T, W, 8>)   \
  INSTANTIATE(UnpackColumns<T, Outer, W, 1>) \
  INSTANTIATE(UnpackColumns<T, Outer, W, 4>) \
  INSTANTIATE(UnpackColumns<T, Outer, W, 8>)
#define LOW_PRECISION(T, W)              \
  CHANGE_LAYOUT(double, T, 1)            \
  CHANGE_LAYOUT(double, T, 2)            \
  CHANGE_LAYOUT(float, T, 1)             \
  CHANGE_LAYOUT(float, T, 4)             \
  INSTANTIATE(DivideByEigenvalues<T, 1>) \
  INSTANTIATE(DivideByEigenvalues<T, W>) \
  INSTANTIATE(RoundScaled<T>)
CHANGE_LAYOUT(double, double, 1)
CHANGE_LAYOUT(double, double, 2)
LOW_PRECISION(float, 4)
LOW_PRECISION(BFloat16, 8)
LOW_PRECISION(Float16, 8)
INSTANTIATE(ScaleEigenvectors)
INSTANTIATE(MeetInLines<1>)
INSTANTIATE(MeetInLines<2>)

// Lines are few and long: a warp in a block, so that all multiprocessors have some.
template <int W, bool towards>
void sweep_lines(const DeviceInterface &device, int n, const SweepLines<W, towards> &f)
{
  launch(static_cast<const Context &>(device), __PRETTY_FUNCTION__, for_each_kernel<SweepLines<W, towards>>,
         blocks_for(n, 32), 32, n, f);
}
#define SWEEP(...)                                                          \
  template <>                                                               \
  void for_each(const DeviceInterface &device, int n, const __VA_ARGS__ &f) \
  {                                                                         \
    sweep_lines(device, n, f);                                              \
  }
SWEEP(SweepLines<1, true>)
SWEEP(SweepLines<1, false>)
SWEEP(SweepLines<2, true>)
SWEEP(SweepLines<2, false>)
} // namespace adamant::cuda
