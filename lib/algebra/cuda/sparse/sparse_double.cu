#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Product<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Addition<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Residual<double> &);
} // namespace cuda
} // namespace adamant
