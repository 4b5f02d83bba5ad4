#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "base/shared_library.h"

#include <cublas_v2.h>
#include <cusparse.h>

#include <memory>

// Access to cuSPARSE and cuBLAS, which are loaded when a device of MatrixFormat::cusparse is made: programs start
// without them.

namespace adamant::cuda
{
/// The functions of cuSPARSE for products.
struct Cusparse : LoadedLibrary
{
  decltype(cusparseCreate)          *create         = function("cusparseCreate");
  decltype(cusparseDestroy)         *destroy        = function("cusparseDestroy");
  decltype(cusparseSetStream)       *set_stream     = function("cusparseSetStream");
  decltype(cusparseGetErrorName)    *error_name     = function("cusparseGetErrorName");
  decltype(cusparseGetErrorString)  *error_text     = function("cusparseGetErrorString");
  decltype(cusparseCreateCsr)       *create_csr     = function("cusparseCreateCsr");
  decltype(cusparseDestroySpMat)    *destroy_csr    = function("cusparseDestroySpMat");
  decltype(cusparseCreateDnVec)     *create_vector  = function("cusparseCreateDnVec");
  decltype(cusparseDestroyDnVec)    *destroy_vector = function("cusparseDestroyDnVec");
  decltype(cusparseDnVecSetValues)  *set_values     = function("cusparseDnVecSetValues");
  decltype(cusparseSpMV_bufferSize) *buffer_size    = function("cusparseSpMV_bufferSize");
  decltype(cusparseSpMV_preprocess) *preprocess     = function("cusparseSpMV_preprocess");
  decltype(cusparseSpMV)            *multiply       = function("cusparseSpMV");
};

/// Returns the library `name` of this major version (base/shared_library.h).
SharedLibrary find_library(const std::string &error, const char *variable, const std::string &name, int major);

/// The type of cublasGemmStridedBatchedEx; of the functions of this name, it is the one that takes types of arithmetic.
using BatchedGemm = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
                                   const void *, cudaDataType, int, long long, const void *, cudaDataType, int,
                                   long long, const void *, void *, cudaDataType, int, long long, int,
                                   cublasComputeType_t, cublasGemmAlgo_t);

/// The functions of cuBLAS for dense products.
struct Cublas : LoadedLibrary
{
  decltype(cublasCreate)          *create        = function("cublasCreate_v2");
  decltype(cublasDestroy)         *destroy       = function("cublasDestroy_v2");
  decltype(cublasSetStream)       *set_stream    = function("cublasSetStream_v2");
  decltype(cublasSetWorkspace)    *set_workspace = function("cublasSetWorkspace_v2");
  decltype(cublasGetStatusName)   *error_name    = function("cublasGetStatusName");
  decltype(cublasGetStatusString) *error_text    = function("cublasGetStatusString");
  decltype(cublasDgemv)           *dgemv         = function("cublasDgemv_v2");
  decltype(cublasSgemv)           *sgemv         = function("cublasSgemv_v2");
  decltype(cublasSetMathMode)     *set_math_mode = function("cublasSetMathMode");
  BatchedGemm                     *gemm          = function("cublasGemmStridedBatchedEx");
};

/// The workspace in bytes that cuBLAS takes on Hopper by itself. It would allocate more of its own memory while a graph
/// is recorded.
constexpr std::size_t cublas_workspace = std::size_t(32) << 20;

/// Both libraries on the stream of a device, and memory that all matrices share for results between two kernels. It
/// grows to the largest need when matrices are made, so that nothing is allocated while a graph is recorded.
class Libraries
{
public:
  explicit Libraries(Context &context); ///< throws RunError where a library is not found
  ~Libraries();
  Libraries(const Libraries &)            = delete;
  Libraries &operator=(const Libraries &) = delete;

  Cusparse cusparse;
  Cublas   cublas;

  cusparseHandle_t sparse_handle() const { return sparse; }
  cublasHandle_t   blas_handle() const { return blas; } ///< for scalars in host memory

  /// Throws RunError where `status` is no success; the arguments are for the message. Every status of the libraries
  /// goes through here.
  /// @{
  template <typename... Arguments>
  void check(cusparseStatus_t status, const Call &call, const Arguments &...arguments) const
  {
    if (injected_fault())
      status = CUSPARSE_STATUS_INTERNAL_ERROR;
    if (status != CUSPARSE_STATUS_SUCCESS)
      fail("cuSPARSE", call, listed(arguments...), in_words(cusparse.error_name(status), cusparse.error_text(status)));
  }
  template <typename... Arguments>
  void check(cublasStatus_t status, const Call &call, const Arguments &...arguments) const
  {
    if (injected_fault())
      status = CUBLAS_STATUS_INTERNAL_ERROR;
    if (status != CUBLAS_STATUS_SUCCESS)
      fail("cuBLAS", call, listed(arguments...), in_words(cublas.error_name(status), cublas.error_text(status)));
  }
  /// @}

  /// Makes room for a product of n_rows and a vector of n_cols numbers. Graphs recorded before are recorded anew.
  template <typename Number>
  void make_room(int n_rows, int n_cols)
  {
    grow(product_room, n_rows * sizeof(Number));
    grow(operand_room, n_cols * sizeof(Number));
  }
  void *product() { return product_room.data(); }
  void *operand() { return operand_room.data(); }

private:
  static std::string in_words(const std::string &name, const std::string &text) { return name + " (" + text + ")"; }
  void               grow(DeviceArray<char> &room, std::size_t bytes);

  Context          &context;
  cusparseHandle_t  sparse = nullptr;
  cublasHandle_t    blas   = nullptr;
  DeviceArray<char> workspace, product_room, operand_room;
};

/// Returns a sparse matrix that cuSPARSE multiplies (cusparse.cu); see Operations::create_matrix.
template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cusparse_matrix(Context &context, std::shared_ptr<Libraries> libraries,
                                                            const CSRMatrix<double> &source, int node_size,
                                                            const RowsView *changing);
} // namespace adamant::cuda
