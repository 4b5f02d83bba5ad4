#include "multigrid/smoothers/functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const JacobiStep<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const NodeJacobiStep<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const FirstJacobiStep<double> &,
                           const SecondJacobiStep<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const FirstJacobiStep<double> &,
                           const Residual<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const FirstJacobiStepPlus<double> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Update<double> &);
// Steps of the rows of one colour.
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Listed<JacobiStep<double>> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<double> &, const Entries<double> &,
                           const Listed<NodeJacobiStep<double>> &);

template void for_each(const DeviceInterface &, int, const ScaleByDiagonal<double> &);
template void for_each(const DeviceInterface &, int, const ScaleByNodeBlocks<double> &);
template void for_each(const DeviceInterface &, int, const CorrectBySweep<double> &);
} // namespace cuda
} // namespace adamant
