// The functors of the nonlinear heat equation for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

using namespace adamant;
using namespace nonlinear_heat;

template <int dim>
using Points = AtQuadraturePoints<dim, Coefficients<dim>>;
template <int dim>
using Blocks = AssembleBlocks<dim, System<dim>>;

template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<2, Exact<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<3, Exact<3>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<2, Source<2>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const PointValues<3, Source<3>> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Points<2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Points<3> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Blocks<2> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Blocks<3> &);
