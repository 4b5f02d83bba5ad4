#pragma once

#include "algebra/cuda/peers/exchange.cuh"
#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/ghosts.cuh"
#include "algebra/cuda/sparse/row_operands.cuh"
#include "stokes/cells/cells.cuh"
#include "stokes/cells/clusters.h"

#include <algorithm>

// Products of matrices by cells of a tree. A block of threads takes a cluster. It loads the values at the local nodes
// to shared memory, and interpolates at the hanging ones. Then it computes the contributions of all cells. Last it
// adds up the contributions to each node, in the order that the cluster's tables have. On several ranks, clusters that
// read ghosts have a kernel of their own. The kernel before sends x, and its clusters hide the messages' way.

namespace adamant::cuda
{
/// A matrix by cells of a tree as kernels see it.
template <typename Number>
struct TreeView
{
  ClustersView         clusters;
  int                  n_own; ///< nodes; ghosts follow
  int                  along[3];
  const Number        *coefficients; ///< of the mesh's cells
  const unsigned char *fixed;
  CellModes<Number>    modes;
};

/// The even and odd functions (modes) of a cell, and back: v[a] are the values at the vertices.
template <typename Number>
__device__ void to_modes(Number (&v)[8])
{
#pragma unroll
  for (int bit = 1; bit < 8; bit *= 2)
#pragma unroll
    for (int a = 0; a < 8; ++a)
      if (!(a & bit))
        {
          const Number near = v[a], far = v[a + bit];
          v[a]       = near + far;
          v[a + bit] = far - near;
        }
}
template <typename Number>
__device__ void to_vertices(Number (&v)[8])
{
#pragma unroll
  for (int bit = 1; bit < 8; bit *= 2)
#pragma unroll
    for (int a = 0; a < 8; ++a)
      if (!(a & bit))
        {
          const Number even = v[a], odd = v[a + bit];
          v[a]       = even - odd;
          v[a + bit] = even + odd;
        }
}

/// A cluster's numbers in shared memory: the values at its local nodes, by component, and the contributions of its
/// cells, of which the last one is zero. Where sums of hanging nodes are added up, they take the place of the values.
template <typename Number>
struct ClusterValues
{
  const ClusterTables &of;
  Number              *values;
  const int            n_local = of.shape.n_nodes + of.shape.n_hanging, n_terms = 8 * of.shape.n_cells + 1;

  __device__ Number &value(int c, int local) const { return values[c * n_local + local]; }
  __device__ Number &term(int c, int number) const { return values[3 * n_local + c * n_terms + number]; }

  __device__ void interpolate(int h) const
  {
    Number sum[3] = {};
    for (int r = of.masters[h]; r < of.masters[h + 1]; ++r)
      {
        const unsigned record = of.record[r];
        const Number   weight = static_cast<Number>(of.weight(record));
#pragma unroll
        for (int c = 0; c < 3; ++c)
          sum[c] += weight * value(c, of.number(record));
      }
#pragma unroll
    for (int c = 0; c < 3; ++c)
      value(c, of.shape.n_nodes + h) = sum[c];
  }

  __device__ void apply(const TreeView<Number> &A, int cell, Number coefficient) const
  {
    int vertex[8];
#pragma unroll
    for (int a = 0; a < 8; ++a)
      vertex[a] = of.vertex[a * of.shape.n_cells + cell];
    Number u[3][8];
#pragma unroll
    for (int c = 0; c < 3; ++c)
      {
#pragma unroll
        for (int a = 0; a < 8; ++a)
          u[c][a] = value(A.along[c], vertex[a]);
        to_modes(u[c]);
      }
#pragma unroll
    for (int c = 0; c < 3; ++c)
      {
        Number result[8];
#pragma unroll
        for (int m = 0; m < 8; ++m)
          result[m] = apply_modes(A.modes, c, m, coefficient, u);
        to_vertices(result);
#pragma unroll
        for (int a = 0; a < 8; ++a)
          term(A.along[c], a * of.shape.n_cells + cell) = result[a];
      }
  }

  __device__ void add_terms(const unsigned short *gather, int n, int i, Number (&sum)[3]) const
  {
#pragma unroll
    for (int s = 0; s < 8; ++s)
      {
        const int number = gather[s * n + i];
#pragma unroll
        for (int c = 0; c < 3; ++c)
          sum[c] += term(c, number);
      }
  }

  __device__ void sum_hanging(int h) const
  {
    Number sum[3] = {};
    add_terms(of.gather_hanging, of.shape.n_summed, h, sum);
#pragma unroll
    for (int c = 0; c < 3; ++c)
      value(c, of.shape.n_nodes + h) = sum[c];
  }

  __device__ void sum_own(int i, Number (&sum)[3]) const
  {
    add_terms(of.gather, of.shape.n_own, i, sum);
    for (int r = of.sums[i]; r < of.sums[i + 1]; ++r)
      {
        const unsigned record = of.record[r];
        const Number   weight = static_cast<Number>(of.weight(record));
#pragma unroll
        for (int c = 0; c < 3; ++c)
          sum[c] += weight * value(c, of.shape.n_nodes + of.number(record));
      }
  }
};

/// Takes the clusters that read no ghosts, in the blocks behind the ones that send x to other ranks, or the clusters
/// `at_border`, which wait for the ghosts.
template <bool at_border, typename Number, class Gather, class Finish>
__global__ void __launch_bounds__(block_size, sizeof(Number) == 4 ? 4 : 2)
  cluster_kernel(const __grid_constant__ TreeView<Number> A, const Sends<Number> sends, const Ghosts<Number> ghosts,
                 const Gather x, const Finish finish)
{
  extern __shared__ char memory[];
  if constexpr (!at_border)
    if (sends.by_this_block(OneComponent<Gather>{x}))
      return;
  const int number = at_border ? A.clusters.n_inner + blockIdx.x : blockIdx.x - sends.n_blocks;
  if (at_border && number >= A.clusters.n_clusters) // there is no such cluster, but a block that waits
    {
      wait_for_predecessor();
      ghosts.wait();
      return;
    }
  const Cluster               cluster = A.clusters.cluster[number];
  const ClusterTables         of(A.clusters, cluster);
  const ClusterValues<Number> here{of, reinterpret_cast<Number *>(memory)};
  const ClusterShape         &shape = of.shape;
  const int                  *own = A.clusters.own + cluster.own, *foreign = A.clusters.foreign + cluster.foreign,
            *cells = A.clusters.cell + cluster.cell;

  wait_for_predecessor();
  const Number *of_others = at_border ? ghosts.wait() : nullptr;
  for (int i = threadIdx.x; i < shape.n_nodes; i += block_size)
    {
      const int      node  = i < shape.n_own ? own[i] : foreign[i - shape.n_own];
      const unsigned fixed = __ldg(A.fixed + node);
#pragma unroll
      for (int c = 0; c < 3; ++c)
        if (at_border && node >= A.n_own)
          here.value(c, i) = fixed >> c & 1 ? Number(0) : __ldcg(of_others + 3 * (node - A.n_own) + c);
        else
          here.value(c, i) = fixed >> c & 1 ? Number(0) : x(3 * node + c);
    }
  if (threadIdx.x < 3)
    here.term(threadIdx.x, here.n_terms - 1) = 0;
  __syncthreads();
  for (int h = threadIdx.x; h < shape.n_hanging; h += block_size)
    here.interpolate(h);
  __syncthreads();
  for (int k = threadIdx.x; k < shape.n_cells; k += block_size)
    here.apply(A, k, __ldg(A.coefficients + cells[k]));
  __syncthreads();
  for (int h = threadIdx.x; h < shape.n_summed; h += block_size)
    here.sum_hanging(h);
  __syncthreads();
  for (int i = threadIdx.x; i < shape.n_own; i += block_size)
    {
      const int                          node  = own[i];
      const unsigned                     fixed = __ldg(A.fixed + node);
      decltype(operands_of<Finish, 3>()) operands;
      operands.fetch(finish, 3 * node);
      Number sum[3] = {};
      here.sum_own(i, sum);
#pragma unroll
      for (int c = 0; c < 3; ++c)
        if (fixed >> c & 1)
          sum[c] = x(3 * node + c);
      finish_rows_of_node<3>(finish, 3 * node, sum, operands);
    }
}

/// Gives a kernel as much shared memory as clusters may need.
template <typename Number, class Kernel>
bool give_shared_memory(const Context &context, const Kernel &kernel)
{
  const int bytes = std::min<int>(Clusters::most_values * sizeof(Number), shared_memory(context));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute",
        bytes);
  return true;
}

/// Launches n blocks of cluster_kernel.
template <bool at_border, bool overlaps, typename Number, class Gather, class Finish>
void launch_clusters(const Context &context, const Call &name, int n, const TreeView<Number> &A,
                     const Sends<Number> &sends, const Ghosts<Number> &ghosts, const Gather &x, const Finish &finish)
{
  const auto        kernel = cluster_kernel<at_border, Number, Gather, Finish>;
  static const bool is_set = give_shared_memory<Number>(context, kernel);
  static_cast<void>(is_set);
  if (A.clusters.most_values <= Clusters::few_values)
    launch<overlaps, Clusters::few_values * sizeof(Number)>(context, name, kernel, n, block_size, A, sends, ghosts, x,
                                                            finish);
  else
    launch<overlaps, Clusters::most_values * sizeof(Number)>(context, name, kernel, n, block_size, A, sends, ghosts, x,
                                                             finish);
}

/// Runs `finish` for all rows, as for_each_row does. There are no single rows for functors that are in_place. `exchange`
/// is null on one rank.
template <typename Number, class Gather, class Finish>
void for_each_row_by_clusters(const Context &context, const Call &name, const TreeView<Number> &A,
                              Exchange<Number> *exchange, const Gather &x, const Finish &finish)
{
  static_assert(!Finish::in_place, "a functor that needs single rows");
  const Sends<Number> sends = exchange != nullptr ? exchange->start(context, OneComponent<Gather>{x}) : Sends<Number>();
  launch_clusters<false, true>(context, name, sends.n_blocks + A.clusters.n_inner, A, sends, Ghosts<Number>(), x,
                               finish);
  if (exchange == nullptr)
    return;
  const int  n      = std::max(1, A.clusters.n_clusters - A.clusters.n_inner);
  const auto ghosts = exchange->finish(context);
  if (exchange->follows_kernels())
    launch_clusters<true, true>(context, name, n, A, Sends<Number>(), ghosts, x, finish);
  else
    launch_clusters<true, false>(context, name, n, A, Sends<Number>(), ghosts, x, finish);
}
} // namespace adamant::cuda
