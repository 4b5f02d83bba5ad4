#include "fem/cell_kernels.h"

#include "algebra/functors.cuh"

template <int dim, class Kernel>
using Blocks = adamant::AssembleBlocks<dim, Kernel>;
template <int dim>
using AtPoints = adamant::AtQuadraturePoints<dim, test::Squares>;

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<2, test::Transport> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<3, test::Transport> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<2, test::Elastic<2>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<3, test::Elastic<3>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<2, test::Divergence<2>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const Blocks<3, test::Divergence<3>> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const AtPoints<2> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const AtPoints<3> &);
