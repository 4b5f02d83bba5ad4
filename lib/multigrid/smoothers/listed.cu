// Smoothing steps of some rows: those of one colour.

#include "algebra/functors.cuh"
#include "multigrid/smoothers/functors.h"

namespace adamant
{
namespace cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Listed<JacobiStep<double>> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Listed<NodeJacobiStep<double>> &);

template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Listed<JacobiStep<float>> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Listed<NodeJacobiStep<float>> &);
} // namespace cuda
} // namespace adamant
