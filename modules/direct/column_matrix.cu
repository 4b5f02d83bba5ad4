// Products with several columns for the GPU.

#include "direct/column_matrix.h"

#include "algebra/functors.cuh"

using adamant::DeviceInterface, adamant::MultiplyColumns, adamant::ColumnStep;
template void adamant::cuda::for_each(const DeviceInterface &, int, const MultiplyColumns<double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const MultiplyColumns<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const MultiplyColumns<double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const MultiplyColumns<float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ColumnStep<double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ColumnStep<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ColumnStep<double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ColumnStep<float, 4> &);
