// The functors of the stationary Navier-Stokes equations for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

using namespace adamant;
using namespace stationary_navier_stokes;

template void adamant::cuda::for_each(const DeviceInterface &, int, const EvaluateFlow<2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const EvaluateFlow<3> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const CellResidual<2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const CellResidual<3> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<2, FlowJacobian<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<3, FlowJacobian<3>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<2, VelocityJacobian<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const AssembleBlocks<3, VelocityJacobian<3>> &);
