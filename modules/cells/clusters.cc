#include "cells/clusters.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "base/row_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <parallel/algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The direction in which neighbours' numbers differ least: memory is read along it.
int direction_of_lines(const CellMesh &mesh)
{
  double distance[3] = {};
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    for (int d = 0; d < mesh.dim; ++d)
      {
        const std::size_t first = std::size_t(mesh.n_vertices()) * cell;
        const int         a = mesh.nodes[first], b = mesh.nodes[first + (1 << d)];
        distance[d] += std::max(a, b) < mesh.n_own_nodes() ? std::abs(b - a) : 0;
      }
  return static_cast<int>(std::min_element(distance, distance + mesh.dim) - distance);
}

// Interleaves the bits of a position: nodes with near keys are near each other. Boxes of nodes with equal first bits
// are twice as long in direction `line`.
std::uint64_t key_of(const std::array<int, 3> &position, int line)
{
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (const int d : {(line + 2) % 3, (line + 1) % 3, line})
      key = key << 1 | (position[d] >> (bit + (d == line)) & 1);
  return key << 1 | (position[line] & 1);
}

using Range = std::pair<std::size_t, std::size_t>;
using Order = std::vector<std::pair<std::uint64_t, int>>; // keys and nodes

// Cuts sorted keys in halves of boxes, of which none has too many.
void cut(const Order &keys, Range range, int bit, std::vector<Range> &result)
{
  const auto [begin, end] = range;
  if (begin == end)
    return;
  if (end - begin <= Clusters::most_own || bit < 0) // one place; halved where cells are too many
    return result.push_back(range);
  const auto        middle = std::partition_point(keys.begin() + begin, keys.begin() + end,
                                                  [bit](const auto &key) { return (key.first >> bit & 1) == 0; });
  const std::size_t at     = middle - keys.begin();
  cut(keys, {begin, at}, bit - 1, result);
  cut(keys, {at, end}, bit - 1, result);
}

// A cluster with its own lists and tables. The places of its shape are within these tables.
struct MadeCluster
{
  std::vector<int>   own, foreign, hanging, cells;
  ClusterShape       shape{};
  std::vector<Eight> tables;
  int                first_table = 0; // in Clusters::tables
};

// Makes clusters of the nodes of a mesh.
class Maker
{
public:
  Maker(const CellMesh &mesh, int most_values)
    : mesh(mesh)
    , nv(mesh.n_vertices())
    , most_values(most_values)
  {
    list_by_rows(
      mesh.n_nodes(), mesh.n_cells(), cell_start,
      [&](int c, const auto &add) {
        for (int a = 0; a < nv; ++a)
          add(mesh.nodes[nv * c + a]);
      },
      [&](std::size_t n) { cell.resize(n); }, [&](int place, int c) { cell[place] = c; });
    list_by_rows(
      mesh.n_nodes(), mesh.n_nodes(), slave_start,
      [&](int node, const auto &add) {
        for (int k = mesh.hanging.begin(node); k < mesh.hanging.end(node); ++k)
          add(mesh.hanging.master[k]);
      },
      [&](std::size_t n) { slave.resize(n); }, [&](int place, int node) { slave[place] = node; });
  }

  // Ranges of `order`, in clusters; ranges whose cells are too many are halved.
  std::vector<MadeCluster> make(const Order &order, Range range) const
  {
    MadeCluster made = make_lists(order, range);
    if (!fits(made) && range.second - range.first > 1)
      {
        const std::size_t middle = (range.first + range.second) / 2;
        auto              both   = make(order, {range.first, middle});
        for (auto &other : make(order, {middle, range.second}))
          both.push_back(std::move(other));
        return both;
      }
    if (!fits(made))
      throw RunError("a matrix by cells: the rows of a node have too many cells");
    if (made.shape.n_cells > 0)
      make_tables(made);
    std::vector<MadeCluster> one;
    one.push_back(std::move(made));
    return one;
  }

private:
  bool fits(const MadeCluster &of) const { return Clusters::n_values(mesh, of.shape) <= most_values; }

  static void sort_and_unite(std::vector<int> &numbers)
  {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  // Calls action(cell) for the cells around a node.
  template <typename Action>
  void for_each_cell_of(int node, const Action &action) const
  {
    for (int k = cell_start[node]; k < cell_start[node + 1]; ++k)
      action(cell[k]);
  }

  MadeCluster make_lists(const Order &order, Range range) const
  {
    MadeCluster made;
    for (std::size_t k = range.first; k < range.second; ++k)
      made.own.push_back(order[k].second);
    std::sort(made.own.begin(), made.own.end());
    const auto add = [&](int c) { made.cells.push_back(c); };
    for (const int node : made.own)
      if (!mesh.hanging.has(node)) // the row of a hanging node is one of the identity
        {
          for_each_cell_of(node, add);
          for (int k = slave_start[node]; k < slave_start[node + 1]; ++k)
            for_each_cell_of(slave[k], add);
        }
    sort_and_unite(made.cells);
    for (const int c : made.cells)
      for (int a = 0; a < nv; ++a)
        if (const int node = mesh.nodes[nv * c + a]; mesh.hanging.has(node))
          made.hanging.push_back(node);
        else
          made.foreign.push_back(node);
    sort_and_unite(made.hanging);
    for (const int node : made.hanging)
      for (int k = mesh.hanging.begin(node); k < mesh.hanging.end(node); ++k)
        made.foreign.push_back(mesh.hanging.master[k]);
    sort_and_unite(made.foreign);
    std::vector<int> others;
    std::set_difference(made.foreign.begin(), made.foreign.end(), made.own.begin(), made.own.end(),
                        std::back_inserter(others));
    made.foreign.swap(others);
    const auto is_own = [&](int node) { return std::binary_search(made.own.begin(), made.own.end(), node); };
    // Nodes with an own master come first.
    const auto others_begin = std::stable_partition(made.hanging.begin(), made.hanging.end(), [&](int node) {
      bool found = false;
      mesh.hanging.for_each_part(node, [&](int part, double) { found = found || is_own(part); });
      return found;
    });
    // Nodes that are masters here come last.
    const auto masters_begin = std::stable_partition(made.own.begin(), made.own.end(), [&](int node) {
      return slave_start[node] == slave_start[node + 1] || mesh.hanging.has(node);
    });
    auto      &s             = made.shape;
    s.n_own                  = static_cast<int>(made.own.size());
    s.n_plain                = static_cast<int>(masters_begin - made.own.begin());
    s.n_nodes                = static_cast<int>(made.own.size() + made.foreign.size());
    s.n_hanging              = static_cast<int>(made.hanging.size());
    s.n_summed               = static_cast<int>(others_begin - made.hanging.begin());
    s.n_cells                = static_cast<int>(made.cells.size());
    return made;
  }

  // The local numbers of the cluster's nodes.
  std::unordered_map<int, int> number_nodes(const MadeCluster &made) const
  {
    std::unordered_map<int, int> result;
    for (const auto *const nodes : {&made.own, &made.foreign, &made.hanging})
      for (const int node : *nodes)
        result.emplace(node, static_cast<int>(result.size()));
    return result;
  }

  void make_tables(MadeCluster &made) const
  {
    auto      &s     = made.shape;
    const auto local = number_nodes(made);
    const auto add   = [&](int n) { // a table in which all places are those of zeros
      Eight empty;
      std::fill_n(empty.number, 8, static_cast<unsigned short>(s.zero(nv)));
      made.tables.resize(made.tables.size() + n, empty);
      return static_cast<int>(made.tables.size()) - n;
    };
    s.vertices         = add(s.n_cells);
    s.terms            = add(s.n_own);
    s.terms_of_hanging = add(s.n_summed);
    std::vector<int> n_terms(s.n_own + s.n_summed, 0); // terms_of_hanging follows terms
    for (int k = 0; k < s.n_cells; ++k)
      for (int a = 0; a < nv; ++a)
        {
          const int place = local.at(mesh.nodes[std::size_t(nv) * made.cells[k] + a]), h = place - s.n_nodes;
          made.tables[s.vertices + k].number[a] = static_cast<unsigned short>(place);
          const int row                         = place < s.n_own ? place : h >= 0 && h < s.n_summed ? s.n_own + h : -1;
          if (row >= 0 && n_terms[row] == nv)
            throw RunError("a matrix by cells: more than " + std::to_string(nv) + " cells have a vertex at one node");
          if (row >= 0)
            made.tables[s.terms + row].number[n_terms[row]++] =
              static_cast<unsigned short>(s.n_local() + a * s.n_cells + k);
        }
    make_sums(made, local, add);
  }

  // The masters of hanging nodes, and the hanging nodes of own masters, in parts of four with weights.
  template <class Add>
  void make_sums(MadeCluster &made, const std::unordered_map<int, int> &local, const Add &add) const
  {
    auto                            &s = made.shape;
    std::vector<std::pair<int, int>> masters;         // of one node: places and weights
    std::vector<decltype(masters)>   of_own(s.n_own); // hanging nodes
    const auto                       set = [&](int table, const std::pair<int, int> &of, std::size_t j) {
      made.tables[table].number[j]     = static_cast<unsigned short>(of.first);
      made.tables[table].number[4 + j] = static_cast<unsigned short>(of.second);
    };
    const auto add_parts = [&](int n) { // without weights
      const int table = add(n);
      for (int k = table; k < table + n; ++k)
        std::fill_n(made.tables[k].number + 4, 4, static_cast<unsigned short>(0));
      return table;
    };
    for (const int node : made.hanging)
      s.n_parts = std::max(s.n_parts, (mesh.hanging.end(node) - mesh.hanging.begin(node) + 3) / 4);
    s.masters = add_parts(s.n_parts * s.n_hanging);
    for (int h = 0; h < s.n_hanging; ++h)
      {
        masters.clear();
        mesh.hanging.for_each_part(made.hanging[h], [&](int node, double weight) {
          masters.emplace_back(local.at(node), static_cast<int>(std::lround(4096. * weight)));
        });
        for (std::size_t j = 0; j < masters.size(); ++j)
          {
            set(s.masters + static_cast<int>(j / 4) * s.n_hanging + h, masters[j], j % 4);
            if (masters[j].first < s.n_own)
              of_own[masters[j].first].emplace_back(s.n_nodes + h, masters[j].second);
          }
      }
    s.starts  = add((s.n_own - s.n_plain) / 8 + 1);
    s.sums    = add(0);
    int n_all = 0;
    for (int i = 0; i <= s.n_own - s.n_plain; ++i)
      {
        made.tables[s.starts + i / 8].number[i % 8] = static_cast<unsigned short>(n_all);
        const auto *const of                        = i < s.n_own - s.n_plain ? &of_own[s.n_plain + i] : nullptr;
        const int         n                         = of != nullptr ? static_cast<int>(of->size() + 3) / 4 : 0;
        add_parts(n);
        for (std::size_t j = 0; of != nullptr && j < of->size(); ++j)
          set(s.sums + n_all + static_cast<int>(j / 4), (*of)[j], j % 4);
        n_all += n;
      }
    if (n_all > 0xffff)
      throw RunError("a matrix by cells: the nodes of a cluster have too many masters");
  }

  const CellMesh &mesh;
  int             nv, most_values;                 // nv: vertices of a cell
  Array<int> cell_start, cell, slave_start, slave; // the cells around each node, and the nodes that it is master of
};

// Nodes that hang are in clusters of their own.
std::vector<Range> cut_into_ranges(const CellMesh &mesh, Order &order)
{
  const int line = direction_of_lines(mesh);
  Order     others;
  for (int node = 0; node < mesh.n_own_nodes(); ++node)
    (mesh.hanging.has(node) ? others : order).emplace_back(key_of(mesh.position[node], line), node);
  __gnu_parallel::sort(order.begin(), order.end());
  std::vector<Range> boxes, ranges;
  cut(order, {0, order.size()}, 63, boxes);
  for (const Range &box : boxes)
    if (!ranges.empty() && box.second - ranges.back().first <= Clusters::most_own)
      ranges.back().second = box.second;
    else
      ranges.push_back(box);
  for (std::size_t k = 0; k < others.size(); k += Clusters::most_own)
    ranges.emplace_back(order.size() + k, order.size() + std::min(k + Clusters::most_own, others.size()));
  order.insert(order.end(), others.begin(), others.end());
  return ranges;
}

// Takes equal tables once.
class Tables
{
public:
  explicit Tables(Clusters &result)
    : result(result)
  {}

  // The tables of a cluster as a key.
  static std::string key_of(const MadeCluster &made)
  {
    std::string key(reinterpret_cast<const char *>(&made.shape), sizeof(made.shape));
    return key.append(reinterpret_cast<const char *>(made.tables.data()), made.tables.size() * sizeof(Eight));
  }

  // Returns where the tables of a cluster begin.
  int take(const MadeCluster &made, std::string key)
  {
    const auto [at, is_new] = known.emplace(std::move(key), static_cast<int>(result.tables.size()));
    if (is_new)
      {
        to_index(result.tables.size() + made.tables.size(), "tables of clusters");
        result.tables.insert(result.tables.end(), made.tables.begin(), made.tables.end());
      }
    return at->second;
  }

private:
  Clusters                            &result;
  std::unordered_map<std::string, int> known;
};

void append(Clusters &result, const CellMesh &mesh, const MadeCluster &made)
{
  ClusterShape shape = made.shape;
  for (int *const table :
       {&shape.vertices, &shape.terms, &shape.terms_of_hanging, &shape.masters, &shape.starts, &shape.sums})
    *table += made.first_table;
  const int slot = result.cluster.empty() ? 0 : result.cluster.back().slot + result.cluster.back().shape.n_own;
  result.cluster.push_back({shape, to_index(result.node.size(), "nodes of clusters"),
                            to_index(result.cell.size(), "cells of clusters"), slot});
  for (const auto *const nodes : {&made.own, &made.foreign})
    for (const int node : *nodes)
      result.node.push_back(static_cast<unsigned>(node) << 3 | mesh.fixed[node]);
  result.cell.insert(result.cell.end(), made.cells.begin(), made.cells.end());
}
} // namespace

Clusters make_clusters(const CellMesh &mesh, int most_values)
{
  if (mesh.n_nodes() >= 1 << 29)
    throw RunError("a matrix by cells has at most 2^29 nodes on a rank");
  Order                                 order;
  const auto                            ranges = cut_into_ranges(mesh, order);
  const Maker                           maker(mesh, most_values);
  Clusters                              result;
  Tables                                tables(result);
  std::mutex                            mutex;
  std::vector<std::vector<MadeCluster>> made(ranges.size());
  parallel_for(ranges.size(), [&](std::size_t r) {
    made[r] = maker.make(order, ranges[r]);
    for (auto &one : made[r])
      {
        std::string                       key = Tables::key_of(one);
        const std::lock_guard<std::mutex> lock(mutex);
        one.first_table = tables.take(one, std::move(key));
        one.tables      = std::vector<Eight>(); // {} would not free
      }
  });
  for (const bool at_border : {false, true})
    {
      for (const auto &of_range : made)
        for (const auto &one : of_range)
          if (at_border == (!one.foreign.empty() && one.foreign.back() >= mesh.n_own_nodes()))
            append(result, mesh, one);
      if (!at_border)
        result.n_inner = static_cast<int>(result.cluster.size());
    }
  return result;
}

ClusterLists::ClusterLists(const Device &device, const CellMesh &mesh, const Clusters &from)
  : cluster(device, from.cluster, "matrices")
  , tables(device, from.tables, "matrices")
  , node(device, from.node, "matrices")
  , cell(device, from.cell, "matrices")
  , n_vertices(mesh.n_vertices())
  , n_inner(from.n_inner)
{
  for (const Cluster &one : from.cluster)
    {
      most_values = std::max(most_values, Clusters::n_values(mesh, one.shape));
      slots += one.shape.n_own;
    }
}

ClustersView ClusterLists::view() const
{
  return {n_vertices, cluster.size(), n_inner, most_values, cluster.data(), tables.data(), node.data(), cell.data()};
}

std::size_t ClusterLists::bytes() const
{
  return cluster.bytes() + tables.bytes() + node.bytes() + cell.bytes();
}
} // namespace adamant
