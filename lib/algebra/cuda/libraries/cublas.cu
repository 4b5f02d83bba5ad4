#include "algebra/cuda/libraries/cusparse.cuh"
#include "algebra/cuda/libraries/libraries.cuh"
#include "algebra/cuda/operations.h"
#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/cuda/vectors/for_each.cuh"
#include "algebra/functors/vector_functors.h"

#include <memory>
#include <string>
#include <utility>

namespace adamant::cuda
{
/// Dense square matrix in device memory, row-major; products by cuBLAS (gemv).
template <typename Number>
class CublasMatrix : public MatrixStorage<Number>
{
public:
  CublasMatrix(std::shared_ptr<Context> context, std::shared_ptr<Libraries> libraries, const Array<double> &row_major,
               int n);

  void        multiply(Number a, const Number *x, Number b, Number *y) const override;
  void        update_dense(const Array<double> &row_major) override;
  void        update_dense_values(const double *row_major) override;
  std::size_t bytes() const override { return value.size() * sizeof(Number); }
  std::string format() const override { return "dense for cuBLAS, " + std::to_string(this->n_rows) + " rows"; }

private:
  std::shared_ptr<Context>   context;
  std::shared_ptr<Libraries> libraries;
  DeviceArray<Number>        value;
};

/// Makes matrices of cuSPARSE and cuBLAS.
template <typename Number>
class LibraryOperations : public CudaOperations<Number>
{
public:
  LibraryOperations(Context &context, std::shared_ptr<Libraries> libraries)
    : CudaOperations<Number>(context)
    , libraries(std::move(libraries))
  {}

  std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                       const double *changing) const override;
  std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const override;
  std::shared_ptr<MatrixStorage<Number>> create_cell_matrix(const CellMatrix &) const override
  {
    throw RunError("Matrix format = cusparse has no matrices by cells");
  }

private:
  std::shared_ptr<Libraries> libraries;
};

template <typename Number>
CublasMatrix<Number>::CublasMatrix(std::shared_ptr<Context> context_, std::shared_ptr<Libraries> libraries_,
                                   const Array<double> &row_major, int n)
  : context(std::move(context_))
  , libraries(std::move(libraries_))
  , value(context->memory_of_device(), std::size_t(n) * n, "dense matrices")
{
  this->n_rows = this->n_cols = n;
  update_dense(row_major);
}

template <typename Number>
void CublasMatrix<Number>::update_dense(const Array<double> &row_major)
{
  const Array<Number> values(row_major.begin(), row_major.begin() + value.size());
  context->upload(value.data(), values.data(), values.size() * sizeof(Number));
}

template <typename Number>
void CublasMatrix<Number>::update_dense_values(const double *row_major)
{
  for_each(*context, to_index(value.size(), "entries of a dense matrix"),
           Convert<double, Number>{row_major, value.data()});
}

template <typename Number>
void CublasMatrix<Number>::multiply(Number a, const Number *x, Number b, Number *y) const
{
  const int n = this->n_rows;
  if (n == 0)
    return;
  const Cublas        &cublas = libraries->cublas;
  const cublasHandle_t handle = libraries->blas_handle();
  // Row-major is the transpose of what cuBLAS takes.
  if constexpr (sizeof(Number) == sizeof(double))
    libraries->check(cublas.dgemv(handle, CUBLAS_OP_T, n, n, &a, value.data(), n, x, 1, &b, y, 1), "cublasDgemv", n, a,
                     x, b, y);
  else
    libraries->check(cublas.sgemv(handle, CUBLAS_OP_T, n, n, &a, value.data(), n, x, 1, &b, y, 1), "cublasSgemv", n, a,
                     x, b, y);
}

template <typename Number>
std::shared_ptr<MatrixStorage<Number>>
LibraryOperations<Number>::create_matrix(const CSRMatrix<double> &source, int node_size, const double *changing) const
{
  return std::make_shared<CusparseMatrix<Number>>(this->context.shared_from_this(), libraries, source, node_size,
                                                  changing);
}

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> LibraryOperations<Number>::create_dense_matrix(const Array<double> &row_major,
                                                                                      int                  n) const
{
  return std::make_shared<CublasMatrix<Number>>(this->context.shared_from_this(), libraries, row_major, n);
}

std::pair<std::unique_ptr<Operations<double>>, std::unique_ptr<Operations<float>>>
operations_of_libraries(Context &context)
{
  const auto libraries = std::make_shared<Libraries>(context);
  return {std::make_unique<LibraryOperations<double>>(context, libraries),
          std::make_unique<LibraryOperations<float>>(context, libraries)};
}

template class CublasMatrix<double>;
template class CublasMatrix<float>;
template class LibraryOperations<double>;
template class LibraryOperations<float>;
} // namespace adamant::cuda
