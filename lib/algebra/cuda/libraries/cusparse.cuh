#pragma once

#include "algebra/cuda/libraries/libraries.cuh"
#include "algebra/cuda/sparse/library_matrix.cuh"

#include <memory>
#include <string>
#include <type_traits>

namespace adamant::cuda
{
/// A sparse matrix in compressed rows with 32-bit indices, multiplied by cuSPARSE (cusparseSpMV). Values are rounded to
/// Number and not changed otherwise. The algorithm is CUSPARSE_SPMV_CSR_ALG2, the deterministic one: two runs agree to
/// the last bit. It is prepared (cusparseSpMV_preprocess) when the matrix is made. Its buffer and the descriptors are
/// kept, and products only set their pointers, so that graphs can record them.
template <typename Number>
class CusparseMatrix : public LibraryMatrix<Number>
{
public:
  CusparseMatrix(std::shared_ptr<Context> context, std::shared_ptr<Libraries> libraries,
                 const CSRMatrix<double> &source, int node_size, const double *changing);

  void          multiply(Number a, const Number *x, Number b, Number *y) const override;
  void          update(const CSRMatrix<double> &source) override; ///< the addresses stay
  void          update_values(const RowsView &rows) override;
  std::size_t   bytes() const override;
  std::string   format() const override;
  const Number *product(const Number *x) const override;
  Number       *operand() const override { return static_cast<Number *>(libraries->operand()); }
  const int    *row_start() const override { return start.data(); }

private:
  using Matrix                            = std::shared_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>>;
  using Vector                            = std::shared_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>>;
  static constexpr cudaDataType type      = sizeof(Number) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
  static constexpr auto         algorithm = CUSPARSE_SPMV_CSR_ALG2;

  void   store(const CSRMatrix<double> &owned, const double *changing);
  void   take_values(const double *source);
  void   describe();
  Vector describe_vector(int n, void *values) const;
  void   take_ghosts(const CSRMatrix<double> &source, const double *changing);
  void   product(Number a, const Number *x, Number b, Number *y) const;

  std::shared_ptr<Context>   context;
  std::shared_ptr<Libraries> libraries; // the descriptors need them to the end
  std::size_t                pattern = 0;
  DeviceArray<int>           start, column;
  DeviceArray<int>           place; // places of changing values where ghosts lie between them
  DeviceArray<Number>        value;
  mutable DeviceArray<char>  buffer;
  Matrix                     matrix; // null where there are no entries
  Vector                     x_vector, y_vector;
};
} // namespace adamant::cuda
