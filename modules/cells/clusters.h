#pragma once

#include "algebra/vector.h"
#include "base/array.h"
#include "base/host_device.h"
#include "cells/cell_mesh.h"

#include <cstddef>

namespace adamant
{
// Products of a tree of cells go by clusters of nodes. A cluster computes whole rows of its own nodes. It takes all
// cells that have part in these rows, and all nodes of these cells. They are its own nodes, foreign ones, and nodes
// that hang, whose values it interpolates once. Then all its cells are alike. The tables of a cluster have numbers
// within the cluster, so that most clusters of a mesh share a few tables (ClusterShape). Cells at the rim of clusters
// are computed by each of them: this takes no atomics, and sums always have the same order. Nodes that hang have rows
// of the identity: they are the own nodes of clusters without cells.

/// Eight numbers that a thread loads at once.
struct alignas(16) Eight
{
  unsigned short number[8];
};

/// What clusters that differ in their global numbers alone have in common: sizes, and where their tables begin. Local
/// nodes are the own nodes, the foreign nodes and the hanging nodes. The first n_plain own nodes are masters of no
/// hanging node, and the first n_summed hanging nodes have own masters. A kernel keeps a number for each component at
/// each place. First come the values at the local nodes. The contribution of cell k to its vertex a is at n_local() + a
/// n_cells + k, and zeros are last. The tables have these places and weights, which are multiplied by 4096:
///
/// ```
///   vertices          the local nodes of each cell, the first ones of a record in 2D
///   terms             the contributions to each own node; terms_of_hanging: to each hanging node that is summed
///   masters           four masters of each hanging node and their weights, n_parts times for all of them
///   sums              four hanging nodes and their weights for an own node; own node n_plain + i has the records
///                     from number i to number i + 1 of the numbers at `starts`
/// ```
/// Clusters without cells have no tables.
struct ClusterShape
{
  int n_own, n_plain, n_nodes, n_hanging, n_summed, n_parts, n_cells; ///< n_nodes: own and foreign
  int vertices, terms, terms_of_hanging, masters, starts, sums;       ///< places in Clusters::tables

  ADAMANT_HOST_DEVICE int n_local() const { return n_nodes + n_hanging; }
  /// Returns the place of the zeros, where cells have so many vertices.
  ADAMANT_HOST_DEVICE int zero(int n_vertices) const { return n_local() + n_vertices * n_cells; }
};

/// A cluster, and where its nodes and cells begin in the lists of Clusters.
struct Cluster
{
  ClusterShape shape;
  int          node, cell;
  int          slot; ///< of its first own node, where own nodes of all clusters are counted
};

/// The clusters of a mesh, in host memory.
struct Clusters
{
  static constexpr int most_own = 300;
  /// The most numbers that a kernel keeps of a cluster, on a large GPU and on a small one. Vectors stream through what
  /// four clusters leave of a multiprocessor's memory: in float 60 KiB of 256.
  static constexpr int most_values = 12288, few_values = 8000;

  /// Returns the numbers that a kernel keeps of a cluster of this shape.
  static int n_values(const CellMesh &mesh, const ClusterShape &shape)
  {
    return mesh.n_components * (shape.zero(mesh.n_vertices()) + 1);
  }

  Array<Cluster>  cluster;
  Array<Eight>    tables;
  Array<unsigned> node; ///< own and foreign nodes of one cluster after the other: 8 node + its bits of CellMesh::fixed
  Array<int>      cell; ///< of one cluster after the other
  int             n_inner = 0; ///< clusters, the first ones, that read no ghosts
};

/// Cuts the own nodes of a mesh into clusters of at most Clusters::most_own nodes, by their positions. Clusters may
/// have more nodes that share one position. Kernels keep at most `most_values` numbers of a cluster. Throws RunError
/// where the rows of one node have too many cells, or a rank has 2^29 nodes.
Clusters make_clusters(const CellMesh &mesh, int most_values = Clusters::most_values);

/// Clusters as functors and kernels see them.
struct ClustersView
{
  int             n_vertices, n_clusters, n_inner, most_values; ///< most_values: that a kernel keeps of a cluster
  const Cluster  *cluster;
  const Eight    *tables;
  const unsigned *node;
  const int      *cell;

  /// Returns the cluster that has the k-th of all own nodes.
  ADAMANT_HOST_DEVICE const Cluster &of_slot(int k) const
  {
    int first = 0, end = n_clusters; // it is one of these
    while (end - first > 1)
      {
        const int middle                          = (first + end) / 2;
        (cluster[middle].slot <= k ? first : end) = middle;
      }
    return cluster[first];
  }

  /// Returns where the records begin of own node n_plain + i in the table `sums`.
  ADAMANT_HOST_DEVICE int start(const ClusterShape &shape, int i) const
  {
    return tables[shape.starts + i / 8].number[i % 8];
  }

  /// Calls action(vertex, cell, weight) for each contribution to the sum of own node i.
  template <typename Action>
  ADAMANT_HOST_DEVICE void for_each_term(const ClusterShape &shape, int i, const Action &action) const
  {
    const auto visit = [&](const Eight &terms, double weight) {
      for (const int place : terms.number)
        if (const int k = place - shape.n_local(); place < shape.zero(n_vertices))
          action(k / shape.n_cells, k % shape.n_cells, weight);
    };
    if (shape.n_cells == 0)
      return;
    visit(tables[shape.terms + i], 1.);
    if (i < shape.n_plain)
      return;
    for (int r = start(shape, i - shape.n_plain); r < start(shape, i - shape.n_plain + 1); ++r)
      for (int j = 0; j < 4; ++j)
        if (const Eight &sum = tables[shape.sums + r]; sum.number[4 + j] > 0)
          visit(tables[shape.terms_of_hanging + sum.number[j] - shape.n_nodes], sum.number[4 + j] / 4096.);
  }
};

/// Clusters in the memory of a device.
struct ClusterLists
{
  ClusterLists() = default;
  ClusterLists(const Device &device, const CellMesh &mesh, const Clusters &clusters);

  ClustersView view() const;
  int          n_slots() const { return slots; } ///< the number of all own nodes
  std::size_t  bytes() const;

private:
  List<Cluster>  cluster;
  List<Eight>    tables;
  List<unsigned> node;
  List<int>      cell;
  int            n_vertices = 0, n_inner = 0, most_values = 0, slots = 0;
};
} // namespace adamant
