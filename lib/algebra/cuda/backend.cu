#include "algebra/cuda/backend.h"

#include "algebra/cuda/check.cuh"
#include "base/exceptions.h"

#include <type_traits>

namespace adamant
{
namespace
{
template <typename Number, typename Other>
struct Convert
{
  const Other      *from;
  Number           *to;
  __device__ Number value(int i) const { return static_cast<Number>(from[i]); }
};

template <typename Number>
struct Scale
{
  Number            a;
  Number           *to;
  __device__ Number value(int i) const { return a * to[i]; }
};

template <typename Number>
struct AddScaled
{
  Number            a, b;
  const Number     *x;
  Number           *to;
  __device__ Number value(int i) const { return b == Number(0) ? a * x[i] : a * x[i] + b * to[i]; }
};

// y = a D x, D of node blocks.
template <typename Number>
struct ScaleByDiagonal
{
  Number            a;
  int               block_size, n_nodes;
  const Number     *d, *x;
  Number           *to;
  __device__ Number value(int i) const
  {
    const int     first = i - i % block_size;
    const Number *block = d + static_cast<long>(i - first) * block_size * n_nodes + i / block_size;
    Number        sum   = 0;
    for (int c = 0; c < block_size; ++c)
      sum += block[static_cast<long>(c) * n_nodes] * x[first + c];
    return a * sum;
  }
};

template <typename Number>
struct ScaleByNumbers
{
  Number            a;
  const Number     *d, *x;
  Number           *to;
  __device__ Number value(int i) const { return a * d[i] * x[i]; }
};

template <int at_once, class Function>
__global__ void elementwise_kernel(int n, Function f)
{
  cuda::wait_for_predecessor();
  const int            first = blockIdx.x * blockDim.x * at_once + threadIdx.x;
  decltype(f.value(0)) value[at_once];
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    if (const int i = first + k * blockDim.x; i < n)
      value[k] = f.value(i);
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    if (const int i = first + k * blockDim.x; i < n)
      f.to[i] = value[k];
}

// f.to[i] = f.value(i) for i < n. Long vectors: several elements a thread, all loads first; with one of 4 bytes a thread, the
// memory is a third idle.
template <class Function>
void elementwise(const CudaContext &context, const cuda::Call &name, int n, const Function &f)
{
  constexpr int several = 4;
  if (n < 1 << 19)
    cuda::launch(context, name, elementwise_kernel<1, Function>, cuda::blocks_for(n), cuda::block_size, n, f);
  else
    cuda::launch(context, name, elementwise_kernel<several, Function>, cuda::blocks_for(n, several * cuda::block_size),
                 cuda::block_size, n, f);
}

// Asynchronous for the device; pageable host memory makes the host wait for its own part.
void copy_bytes(const CudaContext &context, void *to, const void *from, std::size_t bytes)
{
  if (bytes > 0)
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, context.stream()), "cudaMemcpyAsync", to, from,
                bytes);
}
} // namespace

template <typename Number>
auto CudaBackend<Number>::create_vector(int n) const -> Vector
{
  Vector x(context, n);
  set_zero(x);
  return x;
}

template <typename Number>
auto CudaBackend<Number>::create_dense_matrix(const Array<double> &row_major, int n) const -> DenseMatrix
{
  DenseMatrix A;
  A.n          = n;
  A.row_length = (n + 3) / 4 * 4;
  A.value      = CudaArray<Number>(context, static_cast<std::size_t>(n) * A.row_length, "dense matrices");
  Array<Number> padded(A.value.size());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < A.row_length; ++j)
      padded[static_cast<std::size_t>(i) * A.row_length + j] =
        j < n ? static_cast<Number>(row_major[static_cast<std::size_t>(i) * n + j]) : Number(0);
  copy_bytes(*context, A.value.data(), padded.data(), padded.size() * sizeof(Number));
  synchronize();
  return A;
}

template <typename Number>
void CudaBackend<Number>::upload(const double *source, Vector &x) const
{
  if constexpr (std::is_same_v<Number, double>)
    {
      copy_bytes(*context, x.data(), source, x.size() * sizeof(double));
      synchronize();
    }
  else
    {
      CudaVector<double> staging(context, x.size());
      CudaBackend<double>(*this).upload(source, staging);
      convert(staging, x);
      synchronize();
    }
}

template <typename Number>
void CudaBackend<Number>::download(const Vector &x, double *target) const
{
  if constexpr (std::is_same_v<Number, double>)
    {
      copy_bytes(*context, target, x.data(), x.size() * sizeof(double));
      synchronize();
    }
  else
    {
      CudaVector<double>  staging(context, x.size());
      CudaBackend<double> wide(*this);
      wide.convert(x, staging);
      wide.download(staging, target);
    }
}

template <typename Number>
void CudaBackend<Number>::take(const Vector &x, Snapshot &snapshot) const
{
  elementwise(*context, "take", x.size(), Convert<double, Number>{x.data(), snapshot.device()});
  snapshot.send(context->stream());
}

template <typename Number>
void CudaBackend<Number>::set_zero(Vector &x) const
{
  if (x.size() > 0)
    cuda::check(cudaMemsetAsync(x.data(), 0, x.size() * sizeof(Number), context->stream()), "cudaMemsetAsync", x.data(),
                0, x.size() * sizeof(Number));
}

template <typename Number>
void CudaBackend<Number>::copy(const Vector &x, Vector &y) const
{
  convert(x, y);
}

template <typename Number>
template <typename Other>
void CudaBackend<Number>::convert(const CudaVector<Other> &x, Vector &y) const
{
  elementwise(*context, "convert", x.size(), Convert<Number, Other>{x.data(), y.data()});
}

template <typename Number>
void CudaBackend<Number>::scale(Number a, Vector &x) const
{
  elementwise(*context, "scale", x.size(), Scale<Number>{a, x.data()});
}

template <typename Number>
void CudaBackend<Number>::axpby(Number a, const Vector &x, Number b, Vector &y) const
{
  elementwise(*context, "axpby", x.size(), AddScaled<Number>{a, b, x.data(), y.data()});
}

template <typename Number>
void CudaBackend<Number>::scale_by_diagonal(Number a, const Vector &d, const Vector &x, Vector &y, int block_size) const
{
  if (block_size == 1)
    elementwise(*context, "scale_by_diagonal", x.size(), ScaleByNumbers<Number>{a, d.data(), x.data(), y.data()});
  else
    elementwise(*context, "scale_by_diagonal", x.size(),
                ScaleByDiagonal<Number>{a, block_size, x.size() / block_size, d.data(), x.data(), y.data()});
}

namespace
{
CudaGraph::Recording capture(const CudaContext &context, const std::function<void()> &operations)
{
  cudaStream_t stream   = context.stream();
  cudaGraph_t  captured = nullptr;
  const auto   end      = [&] { return cudaStreamEndCapture(stream, &captured); };
  try
    {
      cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture", stream);
      operations();
    }
  catch (...)
    {
      end();
      cudaGraphDestroy(captured);
      throw;
    }
  const cudaError_t                 ended = end();
  const std::shared_ptr<CUgraph_st> graph(captured, [](cudaGraph_t g) { cudaGraphDestroy(g); });
  cuda::check(ended, "cudaStreamEndCapture", stream);

  cudaGraphExec_t      executable   = nullptr;
  const cudaError_t    instantiated = cudaGraphInstantiate(&executable, captured, 0);
  CudaGraph::Recording result;
  result.executable.reset(executable, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
  cuda::check(instantiated, "cudaGraphInstantiate", captured);
  std::size_t n_nodes = 0;
  cuda::check(cudaGraphGetNodes(captured, nullptr, &n_nodes), "cudaGraphGetNodes", captured);
  result.n_nodes  = static_cast<int>(n_nodes);
  result.revision = context.revision();
  return result;
}
} // namespace

template <typename Number>
auto CudaBackend<Number>::record(const std::function<void()> &operations) const -> Graph
{
  if (!context->replays_graphs())
    return {operations, std::make_shared<CudaGraph::Recording>()};
  return {operations, std::make_shared<CudaGraph::Recording>(capture(*context, operations))};
}

template <typename Number>
void CudaBackend<Number>::replay(const Graph &graph) const
{
  if (!context->replays_graphs())
    return graph.operations();
  if (graph.recording->revision != context->revision())
    *graph.recording = capture(*context, graph.operations);
  cuda::check(cudaGraphLaunch(graph.recording->executable.get(), context->stream()), "cudaGraphLaunch",
              graph.recording->n_nodes, "nodes");
}

template class CudaBackend<double>;
template class CudaBackend<float>;
template void CudaBackend<double>::convert(const CudaVector<double> &, Vector &) const;
template void CudaBackend<double>::convert(const CudaVector<float> &, Vector &) const;
template void CudaBackend<float>::convert(const CudaVector<double> &, Vector &) const;
template void CudaBackend<float>::convert(const CudaVector<float> &, Vector &) const;
} // namespace adamant
