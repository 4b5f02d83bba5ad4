#pragma once

#include "algebra/cuda/libraries/libraries.cuh"
#include "algebra/cuda/operations.h"

#include <memory>
#include <string>

namespace adamant
{
namespace cuda
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

/// The operations on a GPU with matrices of cuSPARSE and cuBLAS. Reductions over floats stay the library's own kernels:
/// they sum in double precision, for which cuBLAS has no inner product.
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

protected:
  std::shared_ptr<Libraries> libraries;
};

/// The operations in double precision, with inner products by cuBLAS. Their results stay in device memory. A small
/// kernel sums them over ranks and copies them to the host's memory.
class CublasOperations : public LibraryOperations<double>
{
public:
  using LibraryOperations<double>::LibraryOperations;

  void dot(int n, const double *x, const double *y, const ScalarStorage &s, int i) const override;
  void norms(int n, const double *r, const double *b, const ScalarStorage &s) const override;

private:
  void inner_product(int n, const double *x, const double *y, double *result) const;
  void finish(int n, double *on_device, double *on_host, bool roots = false) const;
};
} // namespace cuda
} // namespace adamant
