// The functors of the Navier-Stokes program for the GPU, and the plain products that its own kernels are compared with.

#include "separate.h"

#include "algebra/cuda/for_each.cuh"
#include "base/exceptions.h"
#include "solvers/fast_diagonalization.h"

#if ADAMANT_WITH_CUSPARSE
#include <cusparse.h>
#endif

template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::SetValues &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::ChooseBoundaryValues &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::KeepMoving &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::MomentumUpdate &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::PressureRhs &) const;
template void adamant::CudaBackend<double>::for_each(int, const navier_stokes::PressureUpdate &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::ApplyAlong &) const;
template void adamant::CudaBackend<double>::for_each(int, const adamant::DivideByEigenvalues &) const;

namespace navier_stokes
{
using Backend = adamant::CudaBackend<double>;

#if ADAMANT_WITH_CUSPARSE
namespace
{
void check(cusparseStatus_t status, const char *function)
{
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw adamant::RunError(std::string("cuSPARSE: ") + function + " failed: " + cusparseGetErrorString(status));
}

template <typename T>
adamant::CudaArray<T> to_device(const std::shared_ptr<adamant::CudaContext> &context, const adamant::Array<T> &source)
{
  adamant::CudaArray<T> target(context, source.size(), "matrices");
  adamant::cuda::check(cudaMemcpy(target.data(), source.data(), source.size() * sizeof(T), cudaMemcpyHostToDevice),
                       "cudaMemcpy");
  return target;
}
} // namespace

struct PlainMatrix<Backend>::Storage
{
  Storage(const Backend &backend, const adamant::CSRMatrix<double> &A)
    : n_rows(A.n_rows)
    , n_cols(A.n_cols)
    , row_start(to_device(backend.shared_context(), A.row_start))
    , column(to_device(backend.shared_context(), A.column))
    , value(to_device(backend.shared_context(), A.value))
  {
    check(cusparseCreate(&handle), "cusparseCreate");
    check(cusparseSetStream(handle, backend.shared_context()->stream()), "cusparseSetStream");
    check(cusparseCreateCsr(&matrix, n_rows, n_cols, A.n_nonzeros(), row_start.data(), column.data(), value.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
  }
  Storage(const Storage &)            = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage()
  {
    cusparseDestroySpMat(matrix);
    cusparseDestroy(handle);
  }

  void vmult(const Backend &backend, const double *x, double b, double *y)
  {
    const double         one = 1.;
    cusparseDnVecDescr_t from, to;
    check(cusparseCreateDnVec(&from, n_cols, const_cast<double *>(x), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&to, n_rows, y, CUDA_R_64F), "cusparseCreateDnVec");
    if (!prepared)
      {
        std::size_t bytes = 0;
        check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &b, to, CUDA_R_64F,
                                      CUSPARSE_SPMV_CSR_ALG1, &bytes),
              "cusparseSpMV_bufferSize");
        buffer   = adamant::CudaArray<char>(backend.shared_context(), std::max<std::size_t>(bytes, 1), "matrices");
        prepared = true;
      }
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &b, to, CUDA_R_64F,
                       CUSPARSE_SPMV_CSR_ALG1, buffer.data()),
          "cusparseSpMV");
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
  }

  int                        n_rows, n_cols;
  adamant::CudaArray<int>    row_start, column;
  adamant::CudaArray<double> value;
  adamant::CudaArray<char>   buffer;
  cusparseHandle_t           handle   = nullptr;
  cusparseSpMatDescr_t       matrix   = nullptr;
  bool                       prepared = false;
};
#else
struct PlainMatrix<Backend>::Storage
{
  Storage(const Backend &, const adamant::CSRMatrix<double> &)
  {
    throw adamant::RunError(
      "Implementation/Custom kernels = false needs cuSPARSE, which this program was built without");
  }
  void vmult(const Backend &, const double *, double, double *) {}
};
#endif

PlainMatrix<Backend>::PlainMatrix(const Backend &backend, const adamant::CSRMatrix<double> &source)
  : backend(backend)
  , storage(std::make_shared<Storage>(backend, source))
{}

void PlainMatrix<Backend>::vmult(const double *x, double b, double *y) const
{
  storage->vmult(backend, x, b, y);
}
} // namespace navier_stokes
