// The module's functors for the GPU.

#include "algebra/functors.cuh"
#include "algebra/functors/vector_functors.h"
#include "direct/column_matrix.h"
#include "direct/hierarchical_basis.h"
#include "direct/schur_functors.h"

namespace adamant::cuda
{
#define INSTANTIATE(...) template void for_each(const DeviceInterface &, int, const __VA_ARGS__ &);

// For W columns of vectors at a time.
#define VECTORS(Number, W)                     \
  INSTANTIATE(MultiplyColumns<Number, W>)      \
  INSTANTIATE(ColumnStep<Number, W>)           \
  INSTANTIATE(AddInterpolation<Number, W>)     \
  INSTANTIATE(LeaveColumns<Number, Number, W>) \
  INSTANTIATE(ScatterRows<Number, W>)
VECTORS(double, 1)
VECTORS(double, 2)
VECTORS(float, 1)
VECTORS(float, 4)
INSTANTIATE(LeaveColumns<float, double, 1>)
INSTANTIATE(LeaveColumns<float, double, 2>)

// For products that store numbers as T.
#define PRODUCTS(Number, T, W)                    \
  INSTANTIATE(EnterColumns<Number, Number, T, W>) \
  INSTANTIATE(GatherInner<Number, T, W>)          \
  INSTANTIATE(GatherRows<Number, T, W>)           \
  INSTANTIATE(EdgeLoad<Number, T, W>)
#define LOW_PRECISION(T)                         \
  PRODUCTS(float, T, 1)                          \
  PRODUCTS(float, T, 4)                          \
  INSTANTIATE(EnterColumns<double, float, T, 1>) \
  INSTANTIATE(EnterColumns<double, float, T, 2>) \
  INSTANTIATE(RoundRow<T>)
PRODUCTS(double, double, 1)
PRODUCTS(double, double, 2)
INSTANTIATE(RoundRow<double>)
LOW_PRECISION(float)
LOW_PRECISION(BFloat16)
LOW_PRECISION(Float16)
INSTANTIATE(Convert<float, BFloat16>)
INSTANTIATE(Convert<float, Float16>)
INSTANTIATE(FillDense)
} // namespace adamant::cuda
