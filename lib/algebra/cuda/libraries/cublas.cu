#include "algebra/cuda/libraries/libraries.cuh"
#include "algebra/cuda/operations.h"
#include "algebra/cuda/vectors/for_each.cuh"
#include "algebra/functors/vector_functors.h"

#include <memory>
#include <string>
#include <utility>

namespace adamant::cuda
{
namespace
{
/// Dense square matrix in device memory, row-major; products by cuBLAS (gemv).
template <typename Number>
class CublasMatrix : public MatrixStorage<Number>
{
public:
  CublasMatrix(std::shared_ptr<Context> context_, std::shared_ptr<Libraries> libraries, const Array<double> &row_major,
               int n)
    : context(std::move(context_))
    , libraries(std::move(libraries))
    , value(context->memory_of_device(), std::size_t(n) * n, "dense matrices")
  {
    this->n_rows = this->n_cols = n;
    update_dense(row_major);
  }

  void multiply(Number a, const Number *x, Number b, Number *y) const override
  {
    const int n = this->n_rows;
    if (n == 0)
      return;
    const Cublas        &cublas = libraries->cublas;
    const cublasHandle_t handle = libraries->blas_handle();
    // Row-major is the transpose of what cuBLAS takes.
    if constexpr (sizeof(Number) == sizeof(double))
      libraries->check(cublas.dgemv(handle, CUBLAS_OP_T, n, n, &a, value.data(), n, x, 1, &b, y, 1), "cublasDgemv", n,
                       a, x, b, y);
    else
      libraries->check(cublas.sgemv(handle, CUBLAS_OP_T, n, n, &a, value.data(), n, x, 1, &b, y, 1), "cublasSgemv", n,
                       a, x, b, y);
  }
  void update_dense(const Array<double> &row_major) override
  {
    const Array<Number> values(row_major.begin(), row_major.begin() + value.size());
    context->upload(value.data(), values.data(), values.size() * sizeof(Number));
  }
  void update_dense_values(const double *row_major) override
  {
    for_each(*context, to_index(value.size(), "entries of a dense matrix"),
             Convert<double, Number>{row_major, value.data()});
  }
  std::size_t bytes() const override { return value.size() * sizeof(Number); }
  std::string format() const override { return "dense for cuBLAS, " + std::to_string(this->n_rows) + " rows"; }

private:
  std::shared_ptr<Context>   context;
  std::shared_ptr<Libraries> libraries;
  DeviceArray<Number>        value;
};

/// Makes matrices of cuSPARSE and cuBLAS.
template <typename Number>
class LibraryOperations : public Operations<Number>
{
public:
  LibraryOperations(Context &context, std::shared_ptr<Libraries> libraries)
    : context(context)
    , libraries(std::move(libraries))
  {}

  std::shared_ptr<MatrixStorage<Number>> create_matrix(const CSRMatrix<double> &source, int node_size,
                                                       const RowsView *changing) const override
  {
    return make_cusparse_matrix<Number>(context, libraries, source, node_size, changing);
  }
  std::shared_ptr<MatrixStorage<Number>> create_dense_matrix(const Array<double> &row_major, int n) const override
  {
    return std::make_shared<CublasMatrix<Number>>(context.shared_from_this(), libraries, row_major, n);
  }

private:
  Context                   &context; // the owner of this object
  std::shared_ptr<Libraries> libraries;
};
} // namespace

OperationsOfBoth operations_of_libraries(Context &context)
{
  const auto libraries = std::make_shared<Libraries>(context);
  return {std::make_unique<LibraryOperations<double>>(context, libraries),
          std::make_unique<LibraryOperations<float>>(context, libraries)};
}
} // namespace adamant::cuda
