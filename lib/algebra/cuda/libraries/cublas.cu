#include "algebra/cuda/libraries/cublas.cuh"

#include "algebra/cuda/libraries/cusparse.cuh"
#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/cuda/vectors/for_each.cuh"
#include "algebra/cuda/vectors/reduction.cuh"

#include "algebra/functors/vector_functors.h"
#include <algorithm>
#include <utility>

namespace adamant
{
namespace cuda
{
namespace
{
/// The values become their sums over the ranks that have boxes, then their square roots where these are wanted; and are
/// copied to the host.
__global__ void finish_kernel(int n, bool roots, PeerBoxes peers, double *on_device, double *on_host)
{
  wait_for_predecessor();
  __shared__ double values[Context::max_sums];
  const int         i = threadIdx.x;
  for (int first = 0; first < n; first += Context::max_sums)
    {
      const int m = min(Context::max_sums, n - first);
      if (i < m)
        values[i] = on_device[first + i];
      __syncthreads();
      if (peers.n_ranks > 0)
        sum_over_peers(peers, m, values);
      if (i < m)
        {
          const double result  = roots ? sqrt(values[i]) : values[i];
          on_device[first + i] = result;
          if (on_host != nullptr)
            on_host[first + i] = result;
        }
      __syncthreads();
    }
}
} // namespace

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
  const cublasHandle_t handle = libraries->blas_handle(CUBLAS_POINTER_MODE_HOST);
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

void CublasOperations::inner_product(int n, const double *x, const double *y, double *result) const
{
  if (n == 0)
    return context.clear(result, sizeof(double));
  const cublasHandle_t handle = libraries->blas_handle(CUBLAS_POINTER_MODE_DEVICE);
  libraries->check(libraries->cublas.dot(handle, n, x, 1, y, 1, result), "cublasDdot", n, x, y, result);
}

// What inner products have left in device memory: summed over ranks, copied to the host.
void CublasOperations::finish(int n, double *on_device, double *on_host, bool roots) const
{
  if (leaves_sums_to_ranks(context))
    return sum_over_ranks(context, n, on_device, on_host, roots);
  if (n > 0)
    launch(context, "finish", finish_kernel, 1, block_size, n, roots,
           context.ranks() != nullptr ? context.ranks()->peer_boxes() : PeerBoxes(), on_device, on_host);
}

void CublasOperations::dot(int n, const double *x, const double *y, const ScalarStorage &s, int i) const
{
  inner_product(n, x, y, s.on_device + i);
  finish(1, s.on_device + i, s.on_host + i);
}

void CublasOperations::norms(int n, const double *r, const double *b, const ScalarStorage &s) const
{
  inner_product(n, r, r, s.on_device);
  inner_product(n, b, b, s.on_device + 1);
  finish(2, s.on_device, s.on_host, true);
}

std::pair<std::unique_ptr<Operations<double>>, std::unique_ptr<Operations<float>>>
operations_of_libraries(Context &context)
{
  const auto libraries = std::make_shared<Libraries>(context);
  return {std::make_unique<CublasOperations>(context, libraries),
          std::make_unique<LibraryOperations<float>>(context, libraries)};
}

template class CublasMatrix<double>;
template class CublasMatrix<float>;
template class LibraryOperations<double>;
template class LibraryOperations<float>;
} // namespace cuda
} // namespace adamant
