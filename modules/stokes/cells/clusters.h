#pragma once

#include "algebra/vector.h"
#include "base/array.h"
#include "base/host_device.h"
#include "stokes/cells/cell_mesh.h"

#include <cstddef>

namespace adamant
{
// Products of a tree of cells go by clusters of nodes. A cluster computes whole rows of its own nodes. It takes all
// cells that have part in these rows, and all nodes of these cells. They are its own nodes, foreign ones, and nodes
// that hang, whose values it interpolates once. Then all its cells are alike. The tables of a cluster have numbers
// within the cluster, so that most clusters of a mesh share a few tables (ClusterShape). Cells at the rim of clusters
// are computed by each of them: this takes no atomics, and sums always have the same order.

/// Where a cluster's numbers begin in the lists of Clusters, and which tables it has.
struct Cluster
{
  int own, foreign, cell, shape;
};

/// The tables of clusters that differ in their global numbers alone. Local nodes are the own nodes, the foreign nodes,
/// and the hanging nodes, of which the first n_summed pass sums on to own nodes. The contribution of cell k to its
/// vertex a has the number a n_cells + k; the number 8 n_cells stands for none. A record is a number + 2^16 (4096
/// weight), and records count from the place `records` on. Five tables follow each other from the place `numbers` on.
/// The first one, [8][n_cells], has the local nodes at the vertices of the cells. Two more have the contributions to
/// the own nodes, [8][n_own], and to the hanging nodes, [8][n_summed]. The fourth one has n_hanging + 1 numbers: where
/// the records of each hanging node begin, which are the masters of its value. The last one has n_own + 1 numbers:
/// where the records of each own node begin, which are the hanging nodes of its sum.
struct ClusterShape
{
  int n_own, n_nodes, n_hanging, n_summed, n_cells, numbers, records; ///< n_nodes: own and foreign

  /// Returns the numbers that a kernel keeps: the values at the local nodes, the contributions of the cells, and zero.
  ADAMANT_HOST_DEVICE int n_values() const { return 3 * (n_nodes + n_hanging + 8 * n_cells + 1); }
};

/// The clusters of a mesh, in host memory.
struct Clusters
{
  static constexpr int most_own = 256;
  /// The most numbers that a kernel keeps of a cluster, on a large GPU and on a small one.
  static constexpr int most_values = 13800, few_values = 8000;

  Array<Cluster>        cluster;
  Array<ClusterShape>   shape;
  Array<unsigned short> numbers;
  Array<unsigned>       records;
  Array<int>            own, foreign, cell; ///< nodes and cells of all clusters, one cluster after the other
  int                   n_inner = 0;        ///< clusters, the first ones, that read no ghosts
};

/// Cuts the own nodes of a mesh into clusters of at most Clusters::most_own nodes, by their positions. Clusters may have
/// more nodes that share one position. Kernels keep at most `most_values` numbers of a cluster. Throws RunError where
/// the rows of one node have too many cells.
Clusters make_clusters(const CellMesh &mesh, int most_values = Clusters::most_values);

/// Clusters as functors and kernels see them.
struct ClustersView
{
  int                   n_clusters, n_inner, most_values; ///< most_values: of n_values() of the shapes
  const Cluster        *cluster;
  const ClusterShape   *shape;
  const unsigned short *numbers;
  const unsigned       *records;
  const int            *own, *foreign, *cell;

  /// Returns the cluster that has the k-th of all own nodes.
  ADAMANT_HOST_DEVICE const Cluster &of_slot(int k) const
  {
    int first = 0, end = n_clusters; // it is one of these
    while (end - first > 1)
      {
        const int middle                         = (first + end) / 2;
        (cluster[middle].own <= k ? first : end) = middle;
      }
    return cluster[first];
  }
};

/// The tables of one cluster.
struct ClusterTables
{
  ClusterShape          shape;
  const unsigned short *vertex, *gather, *gather_hanging, *masters, *sums; ///< in the order of ClusterShape
  const unsigned       *record;

  ADAMANT_HOST_DEVICE ClusterTables(const ClustersView &all, const Cluster &cluster)
    : shape(all.shape[cluster.shape])
    , vertex(all.numbers + shape.numbers)
    , gather(vertex + 8 * shape.n_cells)
    , gather_hanging(gather + 8 * shape.n_own)
    , masters(gather_hanging + 8 * shape.n_summed)
    , sums(masters + shape.n_hanging + 1)
    , record(all.records + shape.records)
  {}

  ADAMANT_HOST_DEVICE static int    number(unsigned record) { return static_cast<int>(record & 0xffff); }
  ADAMANT_HOST_DEVICE static double weight(unsigned record) { return (record >> 16) / 4096.; }

  /// Calls action(vertex, cell, weight) for each contribution to the sum of own node i.
  template <typename Action>
  ADAMANT_HOST_DEVICE void for_each_term(int i, const Action &action) const
  {
    const auto visit = [&](int term, double weight) {
      if (term < 8 * shape.n_cells)
        action(term / shape.n_cells, term % shape.n_cells, weight);
    };
    for (int s = 0; s < 8; ++s)
      visit(gather[s * shape.n_own + i], 1.);
    for (int r = sums[i]; r < sums[i + 1]; ++r)
      for (int s = 0; s < 8; ++s)
        visit(gather_hanging[s * shape.n_summed + number(record[r])], weight(record[r]));
  }
};

/// Clusters in the memory of a device.
struct ClusterLists
{
  ClusterLists() = default;
  ClusterLists(const Device &device, const Clusters &clusters);

  ClustersView view() const;
  int          n_slots() const { return own.size(); } ///< the number of all own nodes
  std::size_t  bytes() const;

private:
  List<Cluster>        cluster;
  List<ClusterShape>   shape;
  List<unsigned short> numbers;
  List<unsigned>       records;
  List<int>            own, foreign, cell;
  int                  n_inner = 0, most_values = 0;
};
} // namespace adamant
