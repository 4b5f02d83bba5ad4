#pragma once

#include "algebra/cuda/peers/exchange.cuh"
#include "flow/bundle/bundle_storage.h"

#include <algorithm>
#include <memory>
#include <vector>

// Products with a bundle on a GPU: one thread does each row, or `parts` threads share it. A .cu file includes this and
// instantiates, for each functor of for_each_row with a MatrixBundle,
//
//   template void adamant::cuda::for_each_row(const DeviceInterface &, const BundleStorage &, const Functor &);

namespace adamant::cuda
{
/// Pointers to packed matrices for kernels.
struct PackedView
{
  int                          n_rows;
  const PackedMatrices::Slice *slices;
  const int                   *offset, *column;
  const double                *value;
};

inline PackedView view_of(const PackedMatrices &A)
{
  return {A.n_rows, A.slices.data(), A.offset.data(), A.column.data(), A.value.data()};
}

class Bundle : public BundleStorage
{
public:
  static constexpr int lanes = 32;

  Bundle(const Device &device, const std::vector<const CSRMatrix<double> *> &matrices, int n_values);

  std::shared_ptr<Exchange<double>> exchange; ///< null where this rank neither sends nor receives
};

/// The values of a functor at a node, for other ranks.
template <class Functor>
struct ValuesOfNode
{
  Functor           f;
  __device__ double operator()(int i, int k) const { return f.values(k)[i]; }
};

// Loads the coefficients of an entry; the one of matrix m is at value[m lanes]. Each is read once, so it should not
// push the vectors out of the cache.
template <int n_matrices>
__device__ __forceinline__ void load_coefficients(const double *value, double (&a)[n_matrices])
{
#pragma unroll
  for (int m = 0; m < n_matrices; ++m)
    a[m] = __ldcs(value + m * Bundle::lanes);
}

// Adds entry e of a slice, in column j, to the sums.
template <class Functor>
__device__ __forceinline__ void add_entry(const Functor &f, const double *value, int j, double (&sum)[Functor::n_sums])
{
  double a[Functor::n_matrices], v[Functor::n_values];
  load_coefficients(value, a);
#pragma unroll
  for (int k = 0; k < Functor::n_values; ++k)
    v[k] = __ldg(f.values(k) + j);
  f.add(a, v, sum);
}

// Calls entry(values, column) for the entries of a row.
template <int n_matrices, typename Entry>
__device__ __forceinline__ void for_each_entry(const PackedView &A, const PackedMatrices::Slice &slice, int row,
                                               const Entry &entry)
{
  constexpr int lanes = Bundle::lanes;
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

/// A thread for each row.
template <class Functor>
__global__ void __launch_bounds__(block_size) bundle_kernel(const PackedView A, const Functor f)
{
  constexpr int               lanes = Bundle::lanes;
  const int                   row   = blockIdx.x * blockDim.x + threadIdx.x;
  const PackedMatrices::Slice slice = row < A.n_rows ? A.slices[row / lanes] : PackedMatrices::Slice{0, 0, 0, 0};
  wait_for_predecessor();
  if (row >= A.n_rows)
    return;
  double sum[Functor::n_sums] = {};
  for_each_entry<Functor::n_matrices>(A, slice, row, [&](const double *value, int j) { add_entry(f, value, j, sum); });
  f(row, sum);
}

/// Shares the rows of a slice among the warps of a block, where rows are few and long.
template <class Functor>
__global__ void __launch_bounds__(Bundle::lanes *Functor::parts)
  shared_bundle_kernel(const PackedView A, const Functor f)
{
  constexpr int               lanes = Bundle::lanes, parts = Functor::parts, n_matrices = Functor::n_matrices;
  __shared__ double           sums[parts][Functor::n_sums][lanes];
  const int                   lane = threadIdx.x % lanes, part = threadIdx.x / lanes, row = blockIdx.x * lanes + lane;
  const PackedMatrices::Slice slice = A.slices[blockIdx.x];
  const double               *value = A.value + slice.value * (n_matrices * lanes) + lane;
  wait_for_predecessor();
  double sum[Functor::n_sums] = {};
#pragma unroll 4
  for (int e = part; e < slice.width; e += parts)
    {
      const long at = static_cast<long>(slice.column) + e;
      const int  j  = slice.diagonal ? row + __ldg(A.offset + at) : __ldcs(A.column + at * lanes + lane);
      add_entry(f, value + e * (n_matrices * lanes), j, sum);
    }
#pragma unroll
  for (int c = 0; c < Functor::n_sums; ++c)
    sums[part][c][lane] = sum[c];
  __syncthreads();
  if (part > 0 || row >= A.n_rows)
    return;
#pragma unroll
  for (int p = 1; p < parts; ++p)
#pragma unroll
    for (int c = 0; c < Functor::n_sums; ++c)
      sum[c] += sums[p][c][lane];
  f(row, sum);
}

/// Adds the ghosts' part to the rows that have ghosts.
template <class Functor>
__global__ void ghost_bundle_kernel(const PackedView G, const int *rows, const Ghosts<double> ghosts, const Functor f)
{
  constexpr int lanes = Bundle::lanes, n_matrices = Functor::n_matrices, n_values = Functor::n_values;
  wait_for_predecessor();
  const double *values = ghosts.wait();
  const int     k      = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= G.n_rows)
    return;
  double sum[Functor::n_sums] = {};
  for_each_entry<n_matrices>(G, G.slices[k / lanes], k, [&](const double *value, int j) {
    double a[n_matrices], v[n_values];
    for (int m = 0; m < n_matrices; ++m)
      a[m] = value[m * lanes];
    for (int c = 0; c < n_values; ++c)
      v[c] = __ldcg(values + static_cast<long>(j) * n_values + c);
    f.add(a, v, sum);
  });
  f.add_ghosts(rows[k], sum);
}

/// Calls f(i, sums) for all rows, then adds the ghosts' part: see bundle_storage.h.
template <typename Functor>
void for_each_row(const DeviceInterface &device, const BundleStorage &storage, const Functor &f)
{
  constexpr int threads = 128, lanes = Bundle::lanes;
  const auto   &context = static_cast<const Context &>(device);
  const auto   &A       = dynamic_cast<const Bundle &>(storage);
  const Call    name(__PRETTY_FUNCTION__);
  if (A.exchange)
    A.exchange->send(context, ValuesOfNode<Functor>{f});
  if constexpr (Functor::parts == 1)
    launch(context, name, bundle_kernel<Functor>, blocks_for(A.n_rows, threads), threads, view_of(A.owned), f);
  else
    launch(context, name, shared_bundle_kernel<Functor>, blocks_for(A.n_rows, lanes), lanes * Functor::parts,
           view_of(A.owned), f);
  if (A.exchange) // at least one block, which waits
    launch<false>(context, name, ghost_bundle_kernel<Functor>, std::max(1, blocks_for(A.ghosts.row.size(), threads)),
                  threads, view_of(A.ghosts.entries), A.ghosts.row.data(), A.exchange->finish(context), f);
}
} // namespace adamant::cuda
