#include "tensor/dense_products.h"

#include "algebra/cuda/libraries/libraries.cuh"

#include <string>
#include <utility>

namespace adamant::cuda
{
namespace
{
cudaDataType storage_type(Arithmetic arithmetic)
{
  switch (arithmetic)
    {
      case Arithmetic::float64: return CUDA_R_64F;
      case Arithmetic::bfloat16: return CUDA_R_16BF;
      case Arithmetic::float16: return CUDA_R_16F;
      default: return CUDA_R_32F;
    }
}

/// Products by cublasGemmStridedBatchedEx, with a handle and a workspace of its own.
class CublasProducts : public DenseProductsInterface
{
public:
  CublasProducts(std::shared_ptr<Context> context_, Arithmetic arithmetic)
    : context(std::move(context_))
    , cublas{{find_library("products of dense matrices: cuBLAS cannot be loaded", "ADAMANT_CUBLAS", "cublas",
                           CUBLAS_VER_MAJOR)}}
    , workspace(context->memory_of_device(), cublas_workspace, "cuBLAS")
    , stored(storage_type(arithmetic))
    , compute(arithmetic == Arithmetic::float64 ? CUBLAS_COMPUTE_64F :
              arithmetic == Arithmetic::tf32    ? CUBLAS_COMPUTE_32F_FAST_TF32 :
                                                  CUBLAS_COMPUTE_32F)
  {
    cublasHandle_t       created = nullptr;
    const cublasStatus_t status  = cublas.create(&created);
    handle.reset(created, cublas.destroy);
    check(status, "cublasCreate");
    check(cublas.set_stream(created, context->stream()), "cublasSetStream", context->stream());
    check(cublas.set_workspace(created, workspace.data(), workspace.size()), "cublasSetWorkspace",
          static_cast<void *>(workspace.data()), workspace.size());
    // Sums of numbers of 16 bits stay in float where several blocks share one.
    check(cublas.set_math_mode(created, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "cublasSetMathMode");
  }

  // Row-major is the transpose of what cuBLAS takes: Cᵀ = op(B)ᵀ op(A)ᵀ.
  void multiply(const ProductShape &s, double a, const void *A, const void *B, double b, void *C,
                bool to_float) const override
  {
    if (s.m == 0 || s.n == 0 || s.count == 0)
      return;
    const float a_float = static_cast<float>(a), b_float = static_cast<float>(b);
    const bool  in_double = compute == CUBLAS_COMPUTE_64F;
    const void *alpha     = in_double ? static_cast<const void *>(&a) : &a_float;
    const void *beta      = in_double ? static_cast<const void *>(&b) : &b_float;
    context->stream(); // what waits there comes before it
    check(cublas.gemm(handle.get(), s.transposed_B ? CUBLAS_OP_T : CUBLAS_OP_N,
                      s.transposed_A ? CUBLAS_OP_T : CUBLAS_OP_N, s.n, s.m, s.k, alpha, B, stored, s.row_B,
                      static_cast<long long>(s.distance_B), A, stored, s.row_A, static_cast<long long>(s.distance_A),
                      beta, C, to_float ? CUDA_R_32F : stored, s.row_C, static_cast<long long>(s.distance_C), s.count,
                      compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx", s.transposed_B, s.transposed_A, s.n, s.m, s.k, s.row_B, s.distance_B, s.row_A,
          s.distance_A, s.row_C, s.distance_C, s.count);
  }

private:
  template <typename... Arguments>
  void check(cublasStatus_t status, const Call &call, const Arguments &...arguments) const
  {
    if (injected_fault())
      status = CUBLAS_STATUS_INTERNAL_ERROR;
    if (status != CUBLAS_STATUS_SUCCESS)
      fail("cuBLAS", call, listed(arguments...),
           std::string(cublas.error_name(status)) + " (" + cublas.error_text(status) + ")");
  }

  std::shared_ptr<Context>       context;
  Cublas                         cublas;
  DeviceArray<char>              workspace;
  std::shared_ptr<cublasContext> handle;
  cudaDataType                   stored;
  cublasComputeType_t            compute;
};
} // namespace

std::shared_ptr<DenseProductsInterface> make_dense_products(DeviceInterface &device, Arithmetic arithmetic)
{
  return std::make_shared<CublasProducts>(static_cast<Context &>(device).shared_from_this(), arithmetic);
}
} // namespace adamant::cuda
