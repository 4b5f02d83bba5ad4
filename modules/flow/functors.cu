// Bundles on a GPU, and the module's functors for it.

#include "algebra/functors.cuh"
#include "flow/bundle/bundle.cuh"
#include "flow/flow_functors.h"

namespace adamant::cuda
{
Bundle::Bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
  : BundleStorage(device, matrices, lanes, n_values)
{
  if (ghosts.plan && !(ghosts.plan->sends.empty() && ghosts.plan->receives.empty()))
    exchange = std::make_shared<Exchange<double>>(static_cast<Context &>(device.interface()).shared_from_this(),
                                                  ghosts.plan, n_values);
}

std::shared_ptr<BundleStorage> make_bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices,
                                           int n_values)
{
  return std::make_shared<Bundle>(device, matrices, n_values);
}

template void for_each(const DeviceInterface &, int, const VelocityProducts<2> &);
template void for_each(const DeviceInterface &, int, const VelocityProducts<3> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<2> &);
template void for_each(const DeviceInterface &, int, const UpdateVelocity<3> &);
template void for_each(const DeviceInterface &, int, const CarriedHeat<2> &);
template void for_each(const DeviceInterface &, int, const CarriedHeat<3> &);
template void for_each(const DeviceInterface &, int, const UpdateTemperature<2> &);
template void for_each(const DeviceInterface &, int, const UpdateTemperature<3> &);
template void for_each(const DeviceInterface &, int, const PressByHeat<2> &);
template void for_each(const DeviceInterface &, int, const PressByHeat<3> &);
template void for_each(const DeviceInterface &, int, const HeatFlux &);
template void for_each(const DeviceInterface &, int, const KeepMoving &);
template void for_each(const DeviceInterface &, int, const StepRate<2> &);
template void for_each(const DeviceInterface &, int, const StepRate<3> &);
template void for_each(const DeviceInterface &, int, const PressureRhs &);
template void for_each(const DeviceInterface &, int, const PressureUpdate &);
template void for_each(const DeviceInterface &, int, const SetAtNodes &);
template void for_each(const DeviceInterface &, int, const ProjectAtNodes<2> &);
template void for_each(const DeviceInterface &, int, const ProjectAtNodes<3> &);
template void for_each(const DeviceInterface &, int, const ChooseCandidate &);

template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2, 4> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3, 9> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2, 1, true> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3, 1, true> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<2, 4, true> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const MomentumStep<3, 9, true> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const BuoyantStep<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const BuoyantStep<3> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const BuoyantStep<2, 4> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const BuoyantStep<3, 9> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const HeatProduct<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const HeatProduct<3> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const HeatProduct<2, 4> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const HeatProduct<3, 9> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<2> &);
template void for_each_row(const DeviceInterface &, const BundleStorage &, const Divergence<3> &);
} // namespace adamant::cuda
