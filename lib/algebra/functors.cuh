#pragma once

#include "algebra/cuda/runtime/decide.cuh"
#include "algebra/cuda/sparse/for_each_row.cuh"
#include "algebra/cuda/vectors/arnoldi.cuh"
#include "algebra/cuda/vectors/for_each.cuh"
#include "algebra/cuda/vectors/sums.cuh"

// A .cu file includes this to instantiate each functor of Device::for_each, Device::for_each_row and the other
// functions:
//
//   template void adamant::cuda::for_each(const DeviceInterface &, int, const Functor &);
//   template void adamant::cuda::for_each_row(const DeviceInterface &, const MatrixStorage<Number> &,
//                                             const Entries<Number> &, const Functor &);
//
//   template void adamant::cuda::for_each_by_teams(const DeviceInterface &, int, int, const Functor &);
//
//   template void adamant::cuda::sums(const DeviceInterface &, int, const Functor &, double *);
//
//   template void adamant::cuda::sums(const DeviceInterface &, int, const Functor &, double *, const Control &,
//                                     const LoopAnswer &);
//
//   template void adamant::cuda::sums(const DeviceInterface &, int, const F &, const G &, double *, const Control &,
//                                     const LoopAnswer &);
//
//   template void adamant::cuda::arnoldi(const DeviceInterface &, const ArnoldiVectors &, const Control &,
//                                        const LoopAnswer &);
//
//   template void adamant::cuda::decide(const DeviceInterface &, const Control &, const LoopAnswer &);
//   template void adamant::cuda::tell(const DeviceInterface &, const Control &, const LoopAnswer &);
//
// Where the product is not with a vector, another gather takes the place of Entries<Number>. A row functor in all
// formats takes nvcc a minute, so that a file should have few of them.
