// The functors of transport-diffusion for the GPU.

#include "data.h"

#include "algebra/functors.cuh"

template <int dim>
using Exact = adamant::PointValues<dim, transport_diffusion::ExactSolution<dim>>;
template <int dim>
using Source = adamant::PointValues<dim, transport_diffusion::Source<dim>>;

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Exact<2> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Exact<3> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Source<2> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Source<3> &);
