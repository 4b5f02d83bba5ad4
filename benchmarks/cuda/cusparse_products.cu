#include "cusparse_products.h"

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/graph.h"
#include "base/exceptions.h"

#include <cusparse.h>

#include <algorithm>

namespace adamant
{
namespace
{
void check(cusparseStatus_t status, const cuda::Call &call)
{
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw RunError(std::string("cuSPARSE: ") + call.function + " failed: " + cusparseGetErrorString(status));
}

template <typename T>
cuda::DeviceArray<T> upload(const cuda::Context &context, const std::vector<T> &source)
{
  auto target = cuda::to_device(context, source.data(), source.size(), "benchmark");
  context.synchronize();
  return target;
}

// A in dense blocks, row-major.
template <typename Number>
struct Blocks
{
  std::vector<int>    row_start{0}, column;
  std::vector<Number> value;

  Blocks(const CSRMatrix<double> &A, int size)
  {
    std::vector<int> place(A.n_cols / size, -1);
    for (int node = 0; node < A.n_rows / size; ++node)
      {
        for (int i = node * size; i < (node + 1) * size; ++i)
          for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
            {
              int &block = place[A.column[k] / size];
              if (block < row_start.back())
                {
                  block = static_cast<int>(column.size());
                  column.push_back(A.column[k] / size);
                  value.resize(value.size() + size * size, Number(0));
                }
              value[(static_cast<std::size_t>(block) * size + i % size) * size + A.column[k] % size] =
                static_cast<Number>(A.value[k]);
            }
        row_start.push_back(static_cast<int>(column.size()));
      }
  }
};

// Median seconds of one of `repeat` runs of `enqueue`, recorded as one graph.
template <typename Enqueue>
double median_seconds(const Device &device, const Enqueue &enqueue)
{
  constexpr int repeat = 20;
  enqueue();
  device.synchronize();
  return Graph(device,
               [&] {
                 for (int i = 0; i < repeat; ++i)
                   enqueue();
               })
           .seconds() /
         repeat;
}
} // namespace

template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse(const CSRMatrix<double> &A, int node_size)
{
  const Device         device  = Device::cuda();
  const cuda::Context &context = static_cast<cuda::Context &>(device.interface());
  const cudaDataType_t type    = sizeof(Number) == 8 ? CUDA_R_64F : CUDA_R_32F;
  const Number         one = 1, zero = 0;
  cusparseHandle_t     handle;
  check(cusparseCreate(&handle), "cusparseCreate");
  check(cusparseSetStream(handle, context.stream()), "cusparseSetStream");

  const std::vector<int> row_start(A.row_start.begin(), A.row_start.end()), column(A.column.begin(), A.column.end());
  auto                   d_start  = upload(context, row_start);
  auto                   d_column = upload(context, column);
  auto                   d_value  = upload(context, std::vector<Number>(A.value.begin(), A.value.end()));
  // Sliced ELL of 32 rows.
  const int        n_slices = (A.n_rows + 31) / 32;
  std::vector<int> slice_start(n_slices + 1, 0);
  for (int s = 0; s < n_slices; ++s)
    {
      int width = 0;
      for (int i = 32 * s; i < std::min(A.n_rows, 32 * (s + 1)); ++i)
        width = std::max(width, row_start[i + 1] - row_start[i]);
      slice_start[s + 1] = slice_start[s] + 32 * width;
    }
  std::vector<int>    ell_column(slice_start.back(), -1);
  std::vector<Number> ell_value(slice_start.back(), 0);
  for (int i = 0; i < A.n_rows; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k)
      {
        const int to   = slice_start[i / 32] + 32 * (k - row_start[i]) + i % 32;
        ell_column[to] = column[k];
        ell_value[to]  = static_cast<Number>(A.value[k]);
      }
  auto d_slices     = upload(context, slice_start);
  auto d_ell_column = upload(context, ell_column);
  auto d_ell_value  = upload(context, ell_value);
  auto x            = upload(context, std::vector<Number>(A.n_cols, Number(0.7)));
  auto y            = upload(context, std::vector<Number>(A.n_rows, Number(0)));

  cusparseDnVecDescr_t x_view, y_view;
  check(cusparseCreateDnVec(&x_view, A.n_cols, x.data(), type), "cusparseCreateDnVec");
  check(cusparseCreateDnVec(&y_view, A.n_rows, y.data(), type), "cusparseCreateDnVec");
  cusparseSpMatDescr_t csr, ell;
  check(cusparseCreateCsr(&csr, A.n_rows, A.n_cols, A.n_nonzeros(), d_start.data(), d_column.data(), d_value.data(),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
        "cusparseCreateCsr");
  check(cusparseCreateSlicedEll(&ell, A.n_rows, A.n_cols, A.n_nonzeros(), slice_start.back(), 32, d_slices.data(),
                                d_ell_column.data(), d_ell_value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, type),
        "cusparseCreateSlicedEll");

  std::vector<std::pair<std::string, double>> result;
  const auto time = [&](const std::string &name, cusparseSpMatDescr_t matrix, cusparseSpMVAlg_t algorithm) {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x_view, &zero, y_view, type,
                                  algorithm, &bytes),
          "cusparseSpMV_bufferSize");
    cuda::DeviceArray<char> buffer(context.memory_of_device(), std::max<std::size_t>(bytes, 16), "benchmark");
    check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x_view, &zero, y_view, type,
                                  algorithm, buffer.data()),
          "cusparseSpMV_preprocess");
    result.emplace_back(name, median_seconds(device, [&] {
                          check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x_view, &zero,
                                             y_view, type, algorithm, buffer.data()),
                                "cusparseSpMV");
                        }));
  };
  time("cuSPARSE CSR, algorithm 1", csr, CUSPARSE_SPMV_CSR_ALG1);
  time("cuSPARSE CSR, algorithm 2", csr, CUSPARSE_SPMV_CSR_ALG2);
  time("cuSPARSE sliced ELL", ell, CUSPARSE_SPMV_SELL_ALG1);
  if (node_size > 1)
    {
      const Blocks<Number> blocks(A, node_size);
      auto                 b_start = upload(context, blocks.row_start), b_column = upload(context, blocks.column);
      auto                 b_value = upload(context, blocks.value);
      cusparseSpMatDescr_t bsr;
      check(cusparseCreateBsr(&bsr, A.n_rows / node_size, A.n_cols / node_size,
                              static_cast<int64_t>(blocks.column.size()), node_size, node_size, b_start.data(),
                              b_column.data(), b_value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, type, CUSPARSE_ORDER_ROW),
            "cusparseCreateBsr");
      time("cuSPARSE BSR", bsr, CUSPARSE_SPMV_BSR_ALG1);
      cusparseDestroySpMat(bsr);
    }
  cusparseDestroySpMat(csr);
  cusparseDestroySpMat(ell);
  cusparseDestroyDnVec(x_view);
  cusparseDestroyDnVec(y_view);
  cusparseDestroy(handle);
  return result;
}

template <typename Number>
std::vector<std::pair<std::string, double>> time_cusparse_lines(int length, int n_lines)
{
  const Device         device  = Device::cuda();
  const cuda::Context &context = static_cast<cuda::Context &>(device.interface());
  const std::size_t    n       = static_cast<std::size_t>(length) * n_lines;
  auto                 lower = upload(context, std::vector<Number>(n, Number(-1))), upper = upload(context, std::vector<Number>(n, Number(-1)));
  auto                 diagonal = upload(context, std::vector<Number>(n, Number(3)));
  auto                 x        = upload(context, std::vector<Number>(n, Number(0.5)));
  cusparseHandle_t     handle;
  check(cusparseCreate(&handle), "cusparseCreate");
  check(cusparseSetStream(handle, context.stream()), "cusparseSetStream");
  std::vector<std::pair<std::string, double>> result;
  const auto                                  time = [&](const std::string &name, const auto &size, const auto &solve) {
    std::size_t bytes = 0;
    check(size(&bytes), name.c_str());
    cuda::DeviceArray<char> buffer(context.memory_of_device(), std::max<std::size_t>(bytes, 16), "benchmark");
    result.emplace_back("cuSPARSE " + name,
                        median_seconds(device, [&] { check(solve(buffer.data()), name.c_str()); }));
  };
  const auto strided_size = [&](std::size_t *bytes) {
    if constexpr (sizeof(Number) == 8)
      return cusparseDgtsv2StridedBatch_bufferSizeExt(handle, length, lower.data(), diagonal.data(), upper.data(),
                                                      x.data(), n_lines, length, bytes);
    else
      return cusparseSgtsv2StridedBatch_bufferSizeExt(handle, length, lower.data(), diagonal.data(), upper.data(),
                                                      x.data(), n_lines, length, bytes);
  };
  const auto strided = [&](char *buffer) {
    if constexpr (sizeof(Number) == 8)
      return cusparseDgtsv2StridedBatch(handle, length, lower.data(), diagonal.data(), upper.data(), x.data(), n_lines,
                                        length, buffer);
    else
      return cusparseSgtsv2StridedBatch(handle, length, lower.data(), diagonal.data(), upper.data(), x.data(), n_lines,
                                        length, buffer);
  };
  time("gtsv2StridedBatch", strided_size, strided);
  const auto interleaved_size = [&](std::size_t *bytes) {
    if constexpr (sizeof(Number) == 8)
      return cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, 0, length, lower.data(), diagonal.data(), upper.data(),
                                                         x.data(), n_lines, bytes);
    else
      return cusparseSgtsvInterleavedBatch_bufferSizeExt(handle, 0, length, lower.data(), diagonal.data(), upper.data(),
                                                         x.data(), n_lines, bytes);
  };
  const auto interleaved = [&](char *buffer) {
    if constexpr (sizeof(Number) == 8)
      return cusparseDgtsvInterleavedBatch(handle, 0, length, lower.data(), diagonal.data(), upper.data(), x.data(),
                                           n_lines, buffer);
    else
      return cusparseSgtsvInterleavedBatch(handle, 0, length, lower.data(), diagonal.data(), upper.data(), x.data(),
                                           n_lines, buffer);
  };
  time("gtsvInterleavedBatch, Thomas", interleaved_size, interleaved);
  cusparseDestroy(handle);
  return result;
}

template std::vector<std::pair<std::string, double>> time_cusparse_lines<double>(int, int);
template std::vector<std::pair<std::string, double>> time_cusparse_lines<float>(int, int);
template std::vector<std::pair<std::string, double>> time_cusparse<double>(const CSRMatrix<double> &, int);
template std::vector<std::pair<std::string, double>> time_cusparse<float>(const CSRMatrix<double> &, int);
} // namespace adamant
