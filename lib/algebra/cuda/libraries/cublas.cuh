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
} // namespace cuda
} // namespace adamant
