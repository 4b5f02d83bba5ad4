// The Schur complement method and the hierarchical basis for the GPU.

#include "algebra/functors.cuh"
#include "multigrid/hierarchical_basis.h"
#include "multigrid/schur_functors.h"

using namespace adamant;

template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<double, double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<double, double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<double, double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const FillDense &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<Float16> &);
