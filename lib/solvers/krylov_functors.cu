// What the Krylov methods do on a GPU besides products and preconditioners.

#include "algebra/functors.cuh"
#include "algebra/loop.h"
#include "solvers/cg_functors.h"
#include "solvers/extrapolation.h"
#include "solvers/gmres_functors.h"
#include "solvers/richardson.h"

using namespace adamant;

template void adamant::cuda::for_each(const DeviceInterface &, int, const Assign<int> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const StartSolve<KrylovState> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const StartSolve<CGState> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const StartSolve<GMRESState> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const CGRestart &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Combination<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const Combination<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const NextCycle<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const NextCycle<float> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const WeightedSum &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const FirstBasisVector<double> &);
template void adamant::cuda::for_each(const DeviceInterface &, int, const FirstBasisVector<float> &);
template void adamant::cuda::sums(const DeviceInterface &, int, const CGStart<double> &, double *);
template void adamant::cuda::sums(const DeviceInterface &, int, const CGStart<float> &, double *);
template void adamant::cuda::sums(const DeviceInterface &, int, const CGCorrection &, double *, const CGDoubt &,
                                  const LoopAnswer &);
template void adamant::cuda::sums(const DeviceInterface &, int, const CGProducts<double> &, const CGUpdate<double> &,
                                  double *, const CGControl &, const LoopAnswer &);
template void adamant::cuda::sums(const DeviceInterface &, int, const CGProducts<float> &, const CGUpdate<float> &,
                                  double *, const CGControl &, const LoopAnswer &);
template void adamant::cuda::arnoldi(const DeviceInterface &, const ArnoldiVectors &, const GMRESControl &,
                                     const LoopAnswer &);
template void adamant::cuda::decide(const DeviceInterface &, const CGControl &, const LoopAnswer &);
template void adamant::cuda::decide(const DeviceInterface &, const CGDoubt &, const LoopAnswer &);
template void adamant::cuda::tell(const DeviceInterface &, const CGControl &, const LoopAnswer &);
template void adamant::cuda::decide(const DeviceInterface &, const GMRESControl &, const LoopAnswer &);
template void adamant::cuda::tell(const DeviceInterface &, const GMRESControl &, const LoopAnswer &);
template void adamant::cuda::decide(const DeviceInterface &, const RichardsonControl &, const LoopAnswer &);
