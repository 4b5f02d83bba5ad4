// The functors of several columns and of dense products for the GPU.

#include "algebra/functors.cuh"
#include "tensor/dense_products.h"
#include "tensor/multi_vector_functors.h"

namespace adamant
{
namespace cuda
{
double free_bytes()
{
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<double>(free);
}
} // namespace cuda
} // namespace adamant

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::CopyBlock &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::PartialSquares<double> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::PartialSquares<float> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::SumParts &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::SquareRoots &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ColumnScales &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::LowPrecisionScales &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ScaleColumns &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::GatherColumns &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::ScatterColumns &);
