// The functors of the Navier-Stokes program for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const navier_stokes::KeepMoving &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const navier_stokes::PressureRhs &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const navier_stokes::PressureUpdate &);
