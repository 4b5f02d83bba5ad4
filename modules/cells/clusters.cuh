#pragma once

#include "algebra/cuda/peers/exchange.cuh"
#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/ghosts.cuh"
#include "algebra/cuda/sparse/row_operands.cuh"
#include "cells/cells.cuh"
#include "cells/clusters.h"

#include <algorithm>

// Products of matrices by cells of a tree. A block of threads takes a cluster. It loads the values at the local nodes
// to shared memory, and interpolates at the hanging ones. Then it computes the contributions of all cells. Last it
// adds up the contributions to each node, in the order that the cluster's tables have. On several ranks, clusters that
// read ghosts have a kernel of their own. The kernel before sends x, and its clusters hide the messages' way.

namespace adamant::cuda
{
/// A matrix by cells of a tree as kernels see it.
template <typename Number, class Kind>
struct TreeView
{
  ClustersView            clusters;
  int                     n_own; ///< nodes; ghosts follow
  int                     along[3];
  const Number           *coefficients[Kind::n_coefficients]; ///< of the mesh's cells
  CellModes<Number, Kind> modes;
};

/// What a thread loads of a node or a cell.
template <typename Number, int n>
struct NumbersOf
{
  Number number[n];
};

/// The even and odd functions (modes) of a cell, and back: v[a] are the values at the vertices.
template <typename Number, int n_vertices>
__device__ void to_modes(Number (&v)[n_vertices])
{
#pragma unroll
  for (int bit = 1; bit < n_vertices; bit *= 2)
#pragma unroll
    for (int a = 0; a < n_vertices; ++a)
      if (!(a & bit))
        {
          const Number near = v[a], far = v[a + bit];
          v[a]       = near + far;
          v[a + bit] = far - near;
        }
}
template <typename Number, int n_vertices>
__device__ void to_vertices(Number (&v)[n_vertices])
{
#pragma unroll
  for (int bit = 1; bit < n_vertices; bit *= 2)
#pragma unroll
    for (int a = 0; a < n_vertices; ++a)
      if (!(a & bit))
        {
          const Number even = v[a], odd = v[a + bit];
          v[a]       = even - odd;
          v[a + bit] = even + odd;
        }
}

/// What a thread loads of its items among n: the first two before a barrier, so that it waits for memory once.
template <class Load>
struct LoadedAhead
{
  int                                       n;
  const Load                               &load;
  decltype(std::declval<const Load &>()(0)) ahead[2];

  __device__ LoadedAhead(int n, const Load &load)
    : n(n)
    , load(load)
  {
    for_rounds([&](int i, int r) { ahead[r] = load(i); });
  }
  template <class Action>
  __device__ void for_rounds(const Action &action) const
  {
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (const int i = threadIdx.x + r * block_size; i < n)
        action(i, r);
  }
  __device__ auto operator[](int i) const
  {
    return i < block_size ? ahead[0] : i < 2 * block_size ? ahead[1] : load(i);
  }
  /// Calls use(i, item) for the thread's items.
  template <class Use>
  __device__ void for_each(const Use &use) const
  {
    for_rounds([&](int i, int r) { use(i, ahead[r]); });
    for (int i = threadIdx.x + 2 * block_size; i < n; i += block_size)
      use(i, load(i));
  }
};

/// A record of tables, whose eight numbers share four registers.
struct Places
{
  uint4 words;

  Places() = default;
  __device__ explicit Places(const Eight *record)
    : words(__ldg(reinterpret_cast<const uint4 *>(record)))
  {}
  __device__ int operator[](int k) const
  {
    const unsigned word[4] = {words.x, words.y, words.z, words.w};
    return word[k / 2] >> 16 * (k % 2) & 0xffff;
  }
};

/// A cluster's numbers in shared memory, as many at each place as there are components (ClusterShape). Sums of hanging
/// nodes take the place of their values.
template <typename Number, class Kind>
struct ClusterValues
{
  static constexpr int n_components = Kind::n_components, n_vertices = Kind::n_vertices;

  const ClusterShape &shape;
  Number             *values;

  __device__ Number *at(int place) const { return values + n_components * place; }
  __device__ void    set(int place, const Number (&value)[n_components]) const
  {
#pragma unroll
    for (int c = 0; c < n_components; ++c)
      at(place)[c] = value[c];
  }

  /// Adds the numbers at four places, with weights.
  __device__ void add_weighted(const Places &places, Number (&sum)[n_components]) const
  {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      {
        const Number weight = Number(places[4 + j]) * Number(1. / 4096.), *value = at(places[j]);
#pragma unroll
        for (int c = 0; c < n_components; ++c)
          sum[c] += weight * value[c];
      }
  }
  /// Adds the numbers at the places of a node's cells.
  __device__ void add(const Places &places, Number (&sum)[n_components]) const
  {
#pragma unroll
    for (int j = 0; j < n_vertices; ++j)
#pragma unroll
      for (int c = 0; c < n_components; ++c)
        sum[c] += at(places[j])[c];
  }

  __device__ void apply(const CellModes<Number, Kind> &K, const Places &vertices, int cell,
                        const NumbersOf<Number, Kind::n_coefficients> &coefficients) const
  {
    Number u[n_components][n_vertices];
#pragma unroll
    for (int a = 0; a < n_vertices; ++a)
#pragma unroll
      for (int c = 0; c < n_components; ++c)
        u[c][a] = at(vertices[a])[c];
#pragma unroll
    for (int c = 0; c < n_components; ++c)
      to_modes(u[c]);
#pragma unroll
    for (int c = 0; c < n_components; ++c)
      {
        Number result[n_vertices];
#pragma unroll
        for (int m = 0; m < n_vertices; ++m)
          result[m] = K.apply(c, m, coefficients.number, u);
        to_vertices(result);
#pragma unroll
        for (int a = 0; a < n_vertices; ++a)
          at(shape.n_local() + a * shape.n_cells + cell)[c] = result[a];
      }
  }
};

/// Finishes the rows of a node. sum_up(sum) adds the components along the directions; prescribed ones become x.
template <typename Number, class Kind, class Gather, class Finish, class SumUp>
__device__ void finish_node(const TreeView<Number, Kind> &A, const Gather &x, const Finish &finish, unsigned entry,
                            const SumUp &sum_up)
{
  constexpr int                                 n_components = Kind::n_components;
  const int                                     first_row    = n_components * static_cast<int>(entry >> 3);
  decltype(operands_of<Finish, n_components>()) operands;
  operands.fetch(finish, first_row);
  Number sum[n_components] = {}, result[n_components];
  sum_up(sum);
#pragma unroll
  for (int c = 0; c < n_components; ++c)
    {
      result[c] = sum[n_components - 1];
#pragma unroll
      for (int d = n_components - 2; d >= 0; --d)
        if (A.along[d] == c)
          result[c] = sum[d];
      if (entry >> c & 1)
        result[c] = x(first_row + c);
    }
  finish_rows_of_node<n_components>(finish, first_row, result, operands);
}

/// Computes the rows of a cluster that has cells. `wait_for_x()` returns load(entry, c), component c of x at a node of
/// Clusters::node.
template <typename Number, class Kind, class Gather, class Finish, class WaitForX>
__device__ void cluster_rows(const TreeView<Number, Kind> &A, const Cluster &cluster, Number *memory, const Gather &x,
                             const Finish &finish, const WaitForX &wait_for_x)
{
  constexpr int                     n_components = Kind::n_components;
  const ClusterShape               &shape        = cluster.shape;
  const ClusterValues<Number, Kind> here{shape, memory};
  const Eight                      *table = A.clusters.tables;
  const auto        of_table     = [table](int begin) { return [=](int i) { return Places(table + begin + i); }; };
  const auto        of_list      = [](const auto *list) { return [list](int i) { return __ldg(list + i); }; };
  const auto        load_entry   = of_list(A.clusters.node + cluster.node);
  const auto        load_cell    = of_list(A.clusters.cell + cluster.cell);
  const auto        load_masters = of_table(shape.masters), load_vertices = of_table(shape.vertices);
  const LoadedAhead entries(shape.n_nodes, load_entry);
  const LoadedAhead numbers(shape.n_cells, load_cell);
  const LoadedAhead masters(shape.n_hanging, load_masters);
  const LoadedAhead vertices(shape.n_cells, load_vertices);
  const auto        load       = wait_for_x();
  const auto        load_value = [&](int i) {
    NumbersOf<Number, n_components> value;
#pragma unroll
    for (int c = 0; c < n_components; ++c)
      value.number[c] = load(entries[i], A.along[c]);
    return value;
  };
  const auto load_coefficients = [&](int k) {
    NumbersOf<Number, Kind::n_coefficients> result;
#pragma unroll
    for (int i = 0; i < Kind::n_coefficients; ++i)
      result.number[i] = A.coefficients[i][numbers[k]];
    return result;
  };
  LoadedAhead(shape.n_nodes, load_value).for_each([&](int i, const auto &value) { here.set(i, value.number); });
  if (threadIdx.x < n_components)
    here.at(shape.zero(Kind::n_vertices))[threadIdx.x] = 0;
  const LoadedAhead coefficients(shape.n_cells, load_coefficients);
  __syncthreads();
  masters.for_each([&](int h, const Places &of_first_part) {
    Number sum[n_components] = {};
    here.add_weighted(of_first_part, sum);
    for (int part = 1; part < shape.n_parts; ++part)
      here.add_weighted(load_masters(part * shape.n_hanging + h), sum);
    here.set(shape.n_nodes + h, sum);
  });
  __syncthreads();
  vertices.for_each([&](int k, const Places &of_cell) { here.apply(A.modes, of_cell, k, coefficients[k]); });
  const auto        load_terms = of_table(shape.terms), load_of_hanging = of_table(shape.terms_of_hanging);
  const LoadedAhead of_hanging(shape.n_summed, load_of_hanging), terms(shape.n_own, load_terms);
  __syncthreads();
  of_hanging.for_each([&](int h, const Places &of_node) {
    Number sum[n_components] = {};
    here.add(of_node, sum);
    here.set(shape.n_nodes + h, sum);
  });
  __syncthreads();
  terms.for_each([&](int i, const Places &of_node) {
    finish_node(A, x, finish, entries[i], [&](Number(&sum)[n_components]) {
      here.add(of_node, sum);
      if (const int master = i - shape.n_plain; master >= 0)
        for (int r = A.clusters.start(shape, master); r < A.clusters.start(shape, master + 1); ++r)
          here.add_weighted(Places(table + shape.sums + r), sum);
    });
  });
}

/// Takes the clusters that read no ghosts, in the blocks behind the ones that send x to other ranks, or the clusters
/// `at_border`, which wait for the ghosts.
template <bool at_border, typename Number, class Kind, class Gather, class Finish>
__global__ void __launch_bounds__(block_size, sizeof(Number) == 4 ? 4 : 2)
  cluster_kernel(const __grid_constant__ TreeView<Number, Kind> A, const Sends<Number> sends,
                 const Ghosts<Number> ghosts, const Gather x, const Finish finish)
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
  const Cluster cluster = A.clusters.cluster[number];
  if (cluster.shape.n_cells == 0) // rows of nodes that hang
    {
      wait_for_predecessor();
      for (int i = threadIdx.x; i < cluster.shape.n_own; i += block_size)
        finish_node(A, x, finish, __ldg(A.clusters.node + cluster.node + i), [](const auto &) {});
      return;
    }
  cluster_rows(A, cluster, reinterpret_cast<Number *>(memory), x, finish, [&] {
    wait_for_predecessor();
    const Number *of_others = at_border ? ghosts.wait() : nullptr;
    return [&A, &x, of_others](unsigned entry, int c) {
      const int node = entry >> 3;
      if (entry >> c & 1)
        return Number(0);
      constexpr int n_components = Kind::n_components;
      return at_border && node >= A.n_own ? __ldcg(of_others + n_components * (node - A.n_own) + c) :
                                            Number(x(n_components * node + c));
    };
  });
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
template <bool at_border, bool overlaps, typename Number, class Kind, class Gather, class Finish>
void launch_clusters(const Context &context, const Call &name, int n, const TreeView<Number, Kind> &A,
                     const Sends<Number> &sends, const Ghosts<Number> &ghosts, const Gather &x, const Finish &finish)
{
  const auto        kernel = cluster_kernel<at_border, Number, Kind, Gather, Finish>;
  static const bool is_set = give_shared_memory<Number>(context, kernel);
  static_cast<void>(is_set);
  if (A.clusters.most_values <= Clusters::few_values)
    launch<overlaps, Clusters::few_values * sizeof(Number)>(context, name, kernel, n, block_size, A, sends, ghosts, x,
                                                            finish);
  else
    launch<overlaps, Clusters::most_values * sizeof(Number)>(context, name, kernel, n, block_size, A, sends, ghosts, x,
                                                             finish);
}

/// Runs `finish` for all rows, as for_each_row does. There are no single rows for functors that are in_place.
/// `exchange` is null on one rank.
template <typename Number, class Kind, class Gather, class Finish>
void for_each_row_by_clusters(const Context &context, const Call &name, const TreeView<Number, Kind> &A,
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
