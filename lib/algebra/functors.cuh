#pragma once

#include "algebra/cuda/arnoldi.cuh"
#include "algebra/cuda/decide.cuh"
#include "algebra/cuda/for_each.cuh"
#include "algebra/cuda/for_each_row.cuh"
#include "algebra/cuda/sums.cuh"

// What a .cu file includes to instantiate each functor that Device::for_each or Device::for_each_row is called with:
//
//   template void adamant::cuda::for_each(const DeviceInterface &, int, const Functor &);
//   template void adamant::cuda::for_each_row(const DeviceInterface &, const MatrixStorage<Number> &,
//                                             const Entries<Number> &, const Functor &);
//
//   template void adamant::cuda::sums(const DeviceInterface &, int, const Functor &, double *);
//   template void adamant::cuda::sums(const DeviceInterface &, int, const Functor &, double *, const Control &,
//                                     const LoopAnswer &);
//   template void adamant::cuda::sums(const DeviceInterface &, int, const F &, const G &, double *, const Control &,
//                                     const LoopAnswer &);
//   template void adamant::cuda::arnoldi(const DeviceInterface &, const ArnoldiVectors &, const Control &,
//                                        const LoopAnswer &);
//   template void adamant::cuda::decide(const DeviceInterface &, const Control &, const LoopAnswer &);
//   template void adamant::cuda::tell(const DeviceInterface &, const Control &, const LoopAnswer &);
//
// with another gather in place of Entries<Number> where the product is not with a vector. A row functor takes nvcc a
// minute in all formats: few in a file.
