#include "multigrid/smoothers/functors.h"

#include "algebra/functors.cuh"

namespace adamant
{
namespace cuda
{
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const JacobiStep<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const NodeJacobiStep<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const FirstJacobiStep<float> &,
                           const SecondJacobiStep<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const FirstJacobiStep<float> &,
                           const Residual<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const FirstJacobiStepPlus<float> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Update<float> &);
// Steps of the rows of one colour.
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Listed<JacobiStep<float>> &);
template void for_each_row(const DeviceInterface &, const MatrixStorage<float> &, const Entries<float> &,
                           const Listed<NodeJacobiStep<float>> &);

template void for_each(const DeviceInterface &, int, const ScaleByDiagonal<float> &);
template void for_each(const DeviceInterface &, int, const ScaleByNodeBlocks<float> &);
template void for_each(const DeviceInterface &, int, const CorrectBySweep<float> &);
} // namespace cuda
} // namespace adamant
