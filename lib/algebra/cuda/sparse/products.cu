#include "algebra/functors.cuh"

namespace adamant::cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Product<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Addition<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Residual<double> &);

template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Product<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Addition<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Residual<float> &);

// The product of a matrix in double precision with a vector in float, in double precision.
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<float> &,
                           const Product<double> &);
} // namespace adamant::cuda
