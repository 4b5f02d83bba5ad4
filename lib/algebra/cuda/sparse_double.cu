#include "algebra/cuda/sparse_operations.cuh"

namespace adamant
{
template void CudaBackend<double>::spmv(double, const Matrix &, const Vector &, double, Vector &) const;
template void CudaBackend<double>::residual(const Matrix &, const Vector &, const Vector &, Vector &) const;
template void CudaBackend<double>::residual_norms(const Matrix &, const Vector &, const Vector &, Vector &,
                                                  Scalars &) const;
template void CudaBackend<double>::residual_restrict(const Matrix &, const Vector &, const Vector &, const Matrix &,
                                                     Vector &, Vector &) const;
template void CudaBackend<double>::jacobi_step(const Matrix &, const Vector &, int, double, const Vector &,
                                               const Vector &, Vector &) const;
template void CudaBackend<double>::jacobi_two_steps(const Matrix &, const Vector &, double, const Vector &, Vector &,
                                                    Vector &) const;
template void CudaBackend<double>::chebyshev_step(const Matrix &, const Vector &, int, double, double, const Vector &,
                                                  const Vector &, const Vector &, Vector &, Vector &) const;
template void CudaBackend<double>::spmv_update(double, double, const Matrix &, const Vector &, const Vector &, Vector &,
                                               Vector &) const;
template void CudaBackend<double>::gemv(const DenseMatrix &, const Vector &, Vector &) const;
} // namespace adamant
