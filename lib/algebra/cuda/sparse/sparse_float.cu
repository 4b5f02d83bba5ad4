#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Product<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Addition<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Residual<float> &);
} // namespace cuda
} // namespace adamant
