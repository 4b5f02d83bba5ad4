#include "algebra/cuda/sparse_operations.cuh"

namespace adamant
{
template void CudaBackend<float>::spmv(float, const Matrix &, const Vector &, float, Vector &) const;
template void CudaBackend<float>::residual(const Matrix &, const Vector &, const Vector &, Vector &) const;
template void CudaBackend<float>::residual_norms(const Matrix &, const Vector &, const Vector &, Vector &,
                                                 Scalars &) const;
template void CudaBackend<float>::residual_restrict(const Matrix &, const Vector &, const Vector &, const Matrix &,
                                                    Vector &, Vector &) const;
template void CudaBackend<float>::jacobi_step(const Matrix &, const Vector &, int, float, const Vector &,
                                              const Vector &, Vector &) const;
template void CudaBackend<float>::jacobi_two_steps(const Matrix &, const Vector &, float, const Vector &, Vector &,
                                                   Vector &) const;
template void CudaBackend<float>::chebyshev_step(const Matrix &, const Vector &, int, float, float, const Vector &,
                                                 const Vector &, const Vector &, Vector &, Vector &) const;
template void CudaBackend<float>::spmv_update(float, float, const Matrix &, const Vector &, const Vector &, Vector &,
                                              Vector &) const;
template void CudaBackend<float>::gemv(const DenseMatrix &, const Vector &, Vector &) const;
} // namespace adamant
