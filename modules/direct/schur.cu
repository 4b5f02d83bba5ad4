// The Schur complement method and the hierarchical basis for the GPU.

#include "algebra/functors.cuh"
#include "direct/hierarchical_basis.h"
#include "direct/schur_functors.h"

using namespace adamant;

template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AddInterpolation<float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<double, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<float, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<float, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const LeaveColumns<float, float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<double, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, BFloat16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherRows<float, Float16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const ScatterRows<float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<double, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, BFloat16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EdgeLoad<float, Float16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<double, double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundEntries<float, Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const FillDense &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<BFloat16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const RoundRow<Float16> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<double, double, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, double, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<double, double, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, float, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, float, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, float, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, BFloat16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, BFloat16, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, BFloat16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, BFloat16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, Float16, 1> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<double, float, Float16, 2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EnterColumns<float, float, Float16, 4> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const GatherInner<float, Float16, 4> &);
