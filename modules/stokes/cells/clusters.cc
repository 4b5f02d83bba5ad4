#include "stokes/cells/clusters.h"

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
// Interleaves the bits of a position: nodes with near keys are near each other.
std::uint64_t morton_key(const std::array<int, 3> &position)
{
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (int d = 2; d >= 0; --d)
      key = key << 1 | (position[d] >> bit & 1);
  return key;
}

using Range = std::pair<std::size_t, std::size_t>;

// Cuts sorted keys into cubes of the tree, of which none has too many.
void cut(const std::vector<std::pair<std::uint64_t, int>> &keys, Range range, int bits, std::vector<Range> &result)
{
  if (range.second - range.first <= Clusters::most_own || bits == 0) // one place; halved where cells are too many
    return result.push_back(range);
  for (std::size_t first = range.first; first < range.second;)
    {
      const auto  child = keys[first].first >> (bits - 3);
      std::size_t end   = first;
      while (end < range.second && keys[end].first >> (bits - 3) == child)
        ++end;
      cut(keys, {first, end}, bits - 3, result);
      first = end;
    }
}

// A cluster with its own lists and tables.
struct MadeCluster
{
  std::vector<int>            own, foreign, hanging, cells;
  ClusterShape                shape{};
  std::vector<unsigned short> numbers;
  std::vector<unsigned>       records;
  int                         of_shape = -1; // the number of equal tables in Clusters::shape
};

// Makes clusters of the nodes of a mesh.
class Maker
{
public:
  Maker(const CellMesh &mesh, int most_values)
    : mesh(mesh)
    , most_values(most_values)
  {
    list_by_rows(
      mesh.n_nodes(), mesh.n_cells(), cell_start,
      [&](int c, const auto &add) {
        for (int a = 0; a < 8; ++a)
          add(mesh.nodes[8 * c + a]);
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
  std::vector<MadeCluster> make(const std::vector<std::pair<std::uint64_t, int>> &order, Range range) const
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
    make_tables(made);
    std::vector<MadeCluster> one;
    one.push_back(std::move(made));
    return one;
  }

private:
  bool fits(const MadeCluster &of) const { return of.shape.n_values() <= most_values; }

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

  MadeCluster make_lists(const std::vector<std::pair<std::uint64_t, int>> &order, Range range) const
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
      for (int a = 0; a < 8; ++a)
        if (const int node = mesh.nodes[8 * c + a]; mesh.hanging.has(node))
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
    // Nodes with an own master come first.
    const auto passes_on = [&](int node) {
      for (int k = mesh.hanging.begin(node); k < mesh.hanging.end(node); ++k)
        if (std::binary_search(made.own.begin(), made.own.end(), mesh.hanging.master[k]))
          return true;
      return false;
    };
    const auto others_begin = std::stable_partition(made.hanging.begin(), made.hanging.end(), passes_on);
    auto      &s            = made.shape;
    s.n_own                 = static_cast<int>(made.own.size());
    s.n_nodes               = static_cast<int>(made.own.size() + made.foreign.size());
    s.n_hanging             = static_cast<int>(made.hanging.size());
    s.n_summed              = static_cast<int>(others_begin - made.hanging.begin());
    s.n_cells               = static_cast<int>(made.cells.size());
    return made;
  }

  void make_tables(MadeCluster &made) const
  {
    const auto &s    = made.shape;
    const auto  find = [](const auto &begin, const auto &end, int node) {
      const auto at = std::lower_bound(begin, end, node);
      return at != end && *at == node ? static_cast<int>(at - begin) : -1;
    };
    const auto others   = made.hanging.begin() + s.n_summed;
    const auto local_of = [&](int node) {
      if (mesh.hanging.has(node))
        {
          const int k = find(made.hanging.begin(), others, node);
          return s.n_nodes + (k >= 0 ? k : s.n_summed + find(others, made.hanging.end(), node));
        }
      const int k = find(made.own.begin(), made.own.end(), node);
      return k >= 0 ? k : s.n_own + find(made.foreign.begin(), made.foreign.end(), node);
    };
    const int gather = 8 * s.n_cells, gather_hanging = gather + 8 * s.n_own, masters = gather_hanging + 8 * s.n_summed,
              sums = masters + s.n_hanging + 1;
    auto &to       = made.numbers;
    to.assign(sums + s.n_own + 1, static_cast<unsigned short>(8 * s.n_cells));
    std::vector<int> n_terms(s.n_own + s.n_summed, 0);
    for (int k = 0; k < s.n_cells; ++k)
      for (int a = 0; a < 8; ++a)
        {
          const int local = local_of(mesh.nodes[8 * made.cells[k] + a]), h = local - s.n_nodes;
          to[a * s.n_cells + k] = static_cast<unsigned short>(local);
          const auto term       = static_cast<unsigned short>(a * s.n_cells + k);
          if (local < s.n_own)
            to[gather + n_terms[local]++ * s.n_own + local] = term;
          else if (h >= 0 && h < s.n_summed)
            to[gather_hanging + n_terms[s.n_own + h]++ * s.n_summed + h] = term;
        }
    std::vector<std::vector<unsigned>> of_own(s.n_own);
    const auto                         record = [](int number, double weight) {
      return static_cast<unsigned>(number) | static_cast<unsigned>(std::lround(4096. * weight)) << 16;
    };
    to[masters] = 0;
    for (int h = 0; h < s.n_hanging; ++h)
      {
        for (int k = mesh.hanging.begin(made.hanging[h]); k < mesh.hanging.end(made.hanging[h]); ++k)
          {
            const int master = local_of(mesh.hanging.master[k]);
            made.records.push_back(record(master, mesh.hanging.weight[k]));
            if (master < s.n_own)
              of_own[master].push_back(record(h, mesh.hanging.weight[k]));
          }
        to[masters + h + 1] = static_cast<unsigned short>(made.records.size());
      }
    to[sums] = static_cast<unsigned short>(made.records.size());
    for (int i = 0; i < s.n_own; ++i)
      {
        made.records.insert(made.records.end(), of_own[i].begin(), of_own[i].end());
        to[sums + i + 1] = static_cast<unsigned short>(made.records.size());
      }
    if (made.records.size() > 0xffff)
      throw RunError("a matrix by cells: the nodes of a cluster have too many masters");
  }

  const CellMesh &mesh;
  int             most_values;
  Array<int> cell_start, cell, slave_start, slave; // the cells around each node, and the nodes that it is master of
};

// Nodes that hang have rows of the identity, and are in clusters of their own, without cells.
std::vector<Range> cut_into_ranges(const CellMesh &mesh, std::vector<std::pair<std::uint64_t, int>> &order)
{
  std::vector<std::pair<std::uint64_t, int>> others;
  for (int node = 0; node < mesh.n_own_nodes(); ++node)
    (mesh.hanging.has(node) ? others : order).emplace_back(morton_key(mesh.position[node]), node);
  __gnu_parallel::sort(order.begin(), order.end());
  std::vector<Range> cubes, ranges;
  cut(order, {0, order.size()}, 63, cubes);
  for (const Range &cube : cubes)
    if (!ranges.empty() && cube.second - ranges.back().first <= Clusters::most_own)
      ranges.back().second = cube.second;
    else
      ranges.push_back(cube);
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

  int take(const MadeCluster &made)
  {
    std::string key;
    const auto  append = [&key](const auto *values, std::size_t n) {
      key.append(reinterpret_cast<const char *>(values), n * sizeof(*values));
    };
    append(&made.shape, 1);
    append(made.numbers.data(), made.numbers.size());
    append(made.records.data(), made.records.size());
    const auto [at, is_new] = numbers.emplace(std::move(key), static_cast<int>(result.shape.size()));
    if (is_new)
      {
        ClusterShape shape = made.shape;
        shape.numbers      = to_index(result.numbers.size(), "tables of clusters");
        shape.records      = to_index(result.records.size(), "tables of clusters");
        result.shape.push_back(shape);
        result.numbers.insert(result.numbers.end(), made.numbers.begin(), made.numbers.end());
        result.records.insert(result.records.end(), made.records.begin(), made.records.end());
      }
    return at->second;
  }

private:
  Clusters                            &result;
  std::unordered_map<std::string, int> numbers;
};
} // namespace

Clusters make_clusters(const CellMesh &mesh, int most_values)
{
  std::vector<std::pair<std::uint64_t, int>> order;
  const auto                                 ranges = cut_into_ranges(mesh, order);
  const Maker                                maker(mesh, most_values);
  Clusters                                   result;
  Tables                                     tables(result);
  std::mutex                                 mutex;
  std::vector<std::vector<MadeCluster>>      made(ranges.size());
  parallel_for(ranges.size(), [&](std::size_t r) {
    made[r] = maker.make(order, ranges[r]);
    for (auto &one : made[r])
      {
        const std::lock_guard<std::mutex> lock(mutex);
        one.of_shape = tables.take(one);
        one.numbers  = {};
        one.records  = {};
      }
  });
  for (const bool at_border : {false, true})
    {
      for (const auto &of_range : made)
        for (const auto &one : of_range)
          {
            const bool reads_ghosts = !one.foreign.empty() && one.foreign.back() >= mesh.n_own_nodes();
            if (reads_ghosts != at_border)
              continue;
            result.cluster.push_back({to_index(result.own.size(), "nodes of clusters"),
                                      to_index(result.foreign.size(), "nodes of clusters"),
                                      to_index(result.cell.size(), "cells of clusters"), one.of_shape});
            result.own.insert(result.own.end(), one.own.begin(), one.own.end());
            result.foreign.insert(result.foreign.end(), one.foreign.begin(), one.foreign.end());
            result.cell.insert(result.cell.end(), one.cells.begin(), one.cells.end());
          }
      if (!at_border)
        result.n_inner = static_cast<int>(result.cluster.size());
    }
  return result;
}

ClusterLists::ClusterLists(const Device &device, const Clusters &from)
  : cluster(device, from.cluster, "matrices")
  , shape(device, from.shape, "matrices")
  , numbers(device, from.numbers, "matrices")
  , records(device, from.records, "matrices")
  , own(device, from.own, "matrices")
  , foreign(device, from.foreign, "matrices")
  , cell(device, from.cell, "matrices")
  , n_inner(from.n_inner)
{
  for (const ClusterShape &one : from.shape)
    most_values = std::max(most_values, one.n_values());
}

ClustersView ClusterLists::view() const
{
  return {cluster.size(), n_inner,        most_values, cluster.data(), shape.data(),
          numbers.data(), records.data(), own.data(),  foreign.data(), cell.data()};
}

std::size_t ClusterLists::bytes() const
{
  return cluster.bytes() + shape.bytes() + numbers.bytes() + records.bytes() + own.bytes() + foreign.bytes() +
         cell.bytes();
}
} // namespace adamant
