#include "support/functors.h"

#include "algebra/functors.cuh"

template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::AddSquare<double> &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::AddSquare<float> &);
template void adamant::cuda::sums(const adamant::DeviceInterface &, int, const adamant::test::AddAndSum<double> &,
                                  double *);
template void adamant::cuda::sums(const adamant::DeviceInterface &, int, const adamant::test::AddAndSum<float> &,
                                  double *);
template void adamant::cuda::decide(const adamant::DeviceInterface &, const adamant::test::CountTo &,
                                    const adamant::LoopAnswer &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::Count &);
template void adamant::cuda::for_each(const adamant::DeviceInterface &, int, const adamant::test::CompiledFor &);
