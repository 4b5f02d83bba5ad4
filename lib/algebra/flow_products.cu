// The products of an explicit Navier-Stokes step on the GPU: each one pass over its matrices.

#include "algebra/cuda/peers/exchange.cuh"
#include "algebra/flow_products.h"

#include <algorithm>

namespace adamant
{
namespace
{
constexpr int lanes = 32;

// What a kernel sees of a bundle.
struct View
{
  int                        n_rows, n_cols;
  const MatrixBundle::Slice *slices;
  const int                 *offset, *column;
  const double              *value;
};

template <typename T>
CudaArray<T> upload(const CudaBackend<double> &backend, const Array<T> &source)
{
  return cuda::to_device(backend.shared_context(), source.data(), source.size(), "matrices");
}

struct BundleOnDevice
{
  BundleOnDevice(const CudaBackend<double> &backend, const MatrixBundle &source)
    : n_rows(source.n_rows)
    , n_cols(source.n_cols)
    , bytes(source.bytes())
    , slices(upload(backend, source.slices))
    , offset(upload(backend, source.offset))
    , column(upload(backend, source.column))
    , value(upload(backend, source.value))
  {}
  View view() const { return {n_rows, n_cols, slices.data(), offset.data(), column.data(), value.data()}; }

  int                            n_rows, n_cols;
  std::size_t                    bytes;
  CudaArray<MatrixBundle::Slice> slices;
  CudaArray<int>                 offset, column;
  CudaArray<double>              value;
};

// Calls entry(values, column) for the entries of a row, values[m lanes] that of matrix m.
template <int n_matrices, typename Entry>
__device__ __forceinline__ void for_each_entry(const View &A, const MatrixBundle::Slice &slice, int row,
                                               const Entry &entry)
{
  const int     lane  = row % lanes;
  const double *value = A.value + slice.value * (n_matrices * lanes) + lane;
  if (slice.diagonal)
    {
      const int *offset = A.offset + slice.column;
#pragma unroll 3
      for (int e = 0; e < slice.width; ++e)
        entry(value + e * (n_matrices * lanes), row + __ldg(offset + e));
    }
  else
    {
      const int *column = A.column + static_cast<long>(slice.column) * lanes + lane;
#pragma unroll 5
      for (int e = 0; e < slice.width; ++e)
        entry(value + e * (n_matrices * lanes), __ldcs(column + e * lanes));
    }
}

// Matrices are read once: they should not push the vectors out of the cache.
__device__ __forceinline__ double stream(const double *p)
{
  return __ldcs(p);
}

template <int dim>
__global__ void __launch_bounds__(cuda::block_size)
  momentum_kernel(const View A, double dt, const double *__restrict__ u, const double *__restrict__ p,
                  const double *__restrict__ inverse_mass, const double *__restrict__ force, double *__restrict__ u_new)
{
  const int                 row   = blockIdx.x * blockDim.x + threadIdx.x;
  const long                n     = A.n_rows;
  const MatrixBundle::Slice slice = row < A.n_rows ? A.slices[row / lanes] : MatrixBundle::Slice{0, 0, 0, 0};
  cuda::wait_for_predecessor();
  if (row >= A.n_rows)
    return;
  double sum[dim] = {};
  for_each_entry<dim + 1>(A, slice, row, [&](const double *value, int j) {
    double w = stream(value), a[dim], uj[dim];
#pragma unroll
    for (int d = 0; d < dim; ++d)
      {
        a[d]  = stream(value + (1 + d) * lanes);
        uj[d] = u[d * n + j];
        w += a[d] * uj[d];
      }
    const double pj = p[j];
#pragma unroll
    for (int c = 0; c < dim; ++c)
      sum[c] += w * uj[c] + a[c] * pj;
  });
  const double m = inverse_mass[row];
#pragma unroll
  for (int c = 0; c < dim; ++c)
    u_new[c * n + row] = u[c * n + row] + dt * ((force != nullptr ? force[c * n + row] : 0.) - sum[c] * m);
}

// Rows are few and long: `parts` warps share those of a slice.
template <int dim, int parts>
__global__ void __launch_bounds__(lanes *parts)
  divergence_kernel(const View W, const double *__restrict__ u, double *__restrict__ g)
{
  __shared__ double         sums[parts][lanes];
  const int                 lane = threadIdx.x % lanes, part = threadIdx.x / lanes, row = blockIdx.x * lanes + lane;
  const long                n     = W.n_cols;
  const MatrixBundle::Slice slice = W.slices[blockIdx.x];
  const double             *value = W.value + slice.value * (dim * lanes) + lane;
  cuda::wait_for_predecessor();
  double sum = 0;
#pragma unroll 4
  for (int e = part; e < slice.width; e += parts)
    {
      const long at = static_cast<long>(slice.column) + e;
      const int  j  = slice.diagonal ? row + __ldg(W.offset + at) : __ldcs(W.column + at * lanes + lane);
#pragma unroll
      for (int d = 0; d < dim; ++d)
        sum += stream(value + (e * dim + d) * lanes) * u[d * n + j];
    }
  sums[part][lane] = sum;
  __syncthreads();
  if (part > 0 || row >= W.n_rows)
    return;
#pragma unroll
  for (int p = 1; p < parts; ++p)
    sum += sums[p][lane];
  g[row] = sum;
}

// What other ranks read of a node: the components of u and, where there is one, p.
template <int dim>
struct FlowValues
{
  long              n;
  const double     *u, *p;
  __device__ double operator()(int i, int c) const { return c < dim ? u[c * n + i] : p[i]; }
};

// The rows of a momentum step that have ghosts.
template <int dim>
__global__ void momentum_ghost_kernel(const View G, const int *rows, const cuda::Ghosts<double> ghosts, double dt,
                                      const double *inverse_mass, long n, double *u_new)
{
  cuda::wait_for_predecessor();
  const double *values = ghosts.wait();
  const int     k      = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= G.n_rows)
    return;
  double sum[dim] = {};
  for_each_entry<dim + 1>(G, G.slices[k / lanes], k, [&](const double *value, int j) {
    double w = value[0], uj[dim];
    for (int d = 0; d < dim; ++d)
      {
        uj[d] = __ldcg(values + j * (dim + 1L) + d);
        w += value[(1 + d) * lanes] * uj[d];
      }
    const double pj = __ldcg(values + j * (dim + 1L) + dim);
    for (int c = 0; c < dim; ++c)
      sum[c] += w * uj[c] + value[(1 + c) * lanes] * pj;
  });
  const int row = rows[k];
  for (int c = 0; c < dim; ++c)
    u_new[c * n + row] -= dt * sum[c] * inverse_mass[row];
}

// The rows of a divergence that have ghosts.
template <int dim>
__global__ void divergence_ghost_kernel(const View G, const int *rows, const cuda::Ghosts<double> ghosts, double *g)
{
  cuda::wait_for_predecessor();
  const double *values = ghosts.wait();
  const int     k      = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= G.n_rows)
    return;
  double sum = 0;
  for_each_entry<dim>(G, G.slices[k / lanes], k, [&](const double *value, int j) {
    for (int d = 0; d < dim; ++d)
      sum += value[d * lanes] * __ldcg(values + static_cast<long>(j) * dim + d);
  });
  g[rows[k]] += sum;
}

// The ghosts of a bundle; without `exchange` there are none.
struct FlowGhosts
{
  FlowGhosts(const CudaBackend<double> &backend, const GhostBundle &source, int n_components)
    : entries(backend, source.entries)
    , rows(upload(backend, source.row))
  {
    if (source.plan && !(source.plan->sends.empty() && source.plan->receives.empty()))
      exchange = CudaExchange<double>::create(backend.shared_context(), source.plan, n_components);
  }

  int blocks() const { return std::max(1, cuda::blocks_for(entries.n_rows, threads)); } // one that waits at least

  static constexpr int                  threads = 128;
  BundleOnDevice                        entries;
  CudaArray<int>                        rows;
  std::shared_ptr<CudaExchange<double>> exchange;
};
} // namespace

template <int dim>
struct FlowProducts<dim, CudaBackend<double>>::Storage
{
  BundleOnDevice momentum, divergence;
  FlowGhosts     momentum_ghosts, divergence_ghosts;
};

template <int dim>
FlowProducts<dim, CudaBackend<double>>::FlowProducts(const Backend                                &backend,
                                                     const std::vector<const CSRMatrix<double> *> &momentum_matrices,
                                                     const std::vector<const CSRMatrix<double> *> &divergence_matrices)
  : backend(backend)
  , storage(new Storage{BundleOnDevice(backend, bundle(momentum_matrices, lanes)),
                        BundleOnDevice(backend, bundle(divergence_matrices, lanes)),
                        FlowGhosts(backend, ghost_bundle(momentum_matrices, lanes), dim + 1),
                        FlowGhosts(backend, ghost_bundle(divergence_matrices, lanes), dim)})
{}

template <int dim>
void FlowProducts<dim, CudaBackend<double>>::momentum(double dt, const Vector &u, const Vector &p,
                                                      const Vector &inverse_mass, const Vector &force,
                                                      Vector &u_new) const
{
  const auto   &A       = storage->momentum;
  const auto   &G       = storage->momentum_ghosts;
  const auto   &context = *backend.shared_context();
  constexpr int threads = 128;
  if (G.exchange)
    G.exchange->send(context, FlowValues<dim>{A.n_rows, u.data(), p.data()});
  cuda::launch(context, "momentum", momentum_kernel<dim>, cuda::blocks_for(A.n_rows, threads), threads, A.view(), dt,
               u.data(), p.data(), inverse_mass.data(), force.size() > 0 ? force.data() : nullptr, u_new.data());
  if (G.exchange)
    cuda::launch<false>(context, "momentum of ghosts", momentum_ghost_kernel<dim>, G.blocks(), G.threads,
                        G.entries.view(), G.rows.data(), G.exchange->finish(context), dt, inverse_mass.data(),
                        static_cast<long>(A.n_rows), u_new.data());
}

template <int dim>
void FlowProducts<dim, CudaBackend<double>>::divergence(const Vector &u, Vector &g) const
{
  const auto   &W       = storage->divergence;
  const auto   &G       = storage->divergence_ghosts;
  const auto   &context = *backend.shared_context();
  constexpr int parts   = 8;
  if (G.exchange)
    G.exchange->send(context, FlowValues<dim>{W.n_cols, u.data(), nullptr});
  cuda::launch(context, "divergence", divergence_kernel<dim, parts>, cuda::blocks_for(W.n_rows, lanes), lanes * parts,
               W.view(), u.data(), g.data());
  if (G.exchange)
    cuda::launch<false>(context, "divergence of ghosts", divergence_ghost_kernel<dim>, G.blocks(), G.threads,
                        G.entries.view(), G.rows.data(), G.exchange->finish(context), g.data());
}

template <int dim>
std::size_t FlowProducts<dim, CudaBackend<double>>::momentum_bytes() const
{
  return storage->momentum.bytes + 2 * sizeof(double) * (dim + 1) * storage->momentum.n_rows;
}

template <int dim>
std::size_t FlowProducts<dim, CudaBackend<double>>::divergence_bytes() const
{
  return storage->divergence.bytes +
         sizeof(double) * (static_cast<std::size_t>(dim) * storage->divergence.n_cols + storage->divergence.n_rows);
}

template class FlowProducts<2, CudaBackend<double>>;
template class FlowProducts<3, CudaBackend<double>>;
} // namespace adamant
