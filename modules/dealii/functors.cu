// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "dealii/galerkin/sparse_products.h"

namespace adamant::cuda
{
template void for_each_by_lanes(const DeviceInterface &, int, const SortColumns &);
template void for_each_by_lanes(const DeviceInterface &, int, const MultiplyRows &);
} // namespace adamant::cuda
