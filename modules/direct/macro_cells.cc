#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "direct/prehandled.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
constexpr int most_classes = 64, most_vertices = 8;

using Vertices = std::array<int, most_vertices>; // of the coarse mesh, ascending, then -1

// The interpolation of all nodes from the coarse level.
CSRMatrix<double> interpolation(const NestedNodes &nodes)
{
  CSRMatrix<double> T = *nodes.prolongations[0];
  for (std::size_t l = 1; l < nodes.prolongations.size(); ++l)
    T = local_product(*nodes.prolongations[l], T);
  return T;
}

// The local matrix of a cell has a row for each inner node. Its columns are numbered as in the cell: first inner nodes,
// then nodes on edges, then vertices.
using LocalRows = std::vector<std::vector<std::pair<int, double>>>;

bool same(const LocalRows &one, const LocalRows &other, double tolerance)
{
  const auto same_entry = [&](const auto &a, const auto &b) {
    return a.first == b.first && !(std::abs(a.second - b.second) > tolerance);
  };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [&](const auto &a, const auto &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_entry);
  });
}

// All nodes on one edge, face or in one cell.
using Entities = std::map<Vertices, Array<int>>;

class Builder
{
public:
  Builder(const NestedNodes &nodes, const CSRMatrix<double> &matrix)
    : matrix(matrix)
    , T(interpolation(nodes))
    , nodes(nodes)
    , local_number(matrix.n_rows, -1)
  {
    for (int i = 0; i < T.n_rows; ++i)
      {
        const int n = static_cast<int>(T.row_start[i + 1] - T.row_start[i]);
        require(n > 0, "the mesh has hanging nodes, which schur does not know; take Solver/Solver = multigrid");
        require(n <= most_vertices, "schur: node ", i, " depends on ", n, " coarse nodes, more than a cell has");
        n_vertices = std::max(n_vertices, n);
      }
    require(n_vertices > 2,
            "schur: no node lies inside a coarse cell; take a smaller Schur complement/Coarse refinements, "
            "or Solver/Solver = multigrid");
    for (int i = 0; i < T.n_rows; ++i)
      entities[vertices_of(i)].push_back(i);
    for (const double value : diagonal(matrix))
      largest = std::max(largest, value);
  }

  bool is_cell(const Vertices &v) const { return v[n_vertices - 1] >= 0; }

  // Returns the class of a cell, which is the first one of equal matrices or a new one, and the cell's nodes in the
  // order of the class. Inner nodes come before nodes on edges.
  std::pair<std::size_t, Array<int>> classify(const Vertices &cell)
  {
    std::vector<int> order(n_vertices);
    std::iota(order.begin(), order.end(), 0);
    Array<int> first_numbers;
    LocalRows  first_rows;
    do
      {
        auto       numbers = numbering(cell, order);
        auto       rows    = local_rows(cell, order, numbers);
        const auto found   = std::find_if(models.begin(), models.end(),
                                          [&](const LocalRows &model) { return same(model, rows, 1e-12 * largest); });
        if (found != models.end())
          return {found - models.begin(), std::move(numbers)};
        if (first_numbers.empty())
          {
            first_numbers = std::move(numbers);
            first_rows    = std::move(rows);
          }
      }
    while (n_vertices <= 4 && std::next_permutation(order.begin(), order.end()));
    require(models.size() < most_classes, "schur: the mesh has more than ", most_classes,
            " classes of coarse cells with different matrices; take Solver/Solver = multigrid");
    models.push_back(std::move(first_rows));
    return {models.size() - 1, std::move(first_numbers)};
  }

  Entities entities;

private:
  // The nodes of a cell in the order of the permutation `order` of its vertices.
  Array<int> numbering(const Vertices &cell, const std::vector<int> &order) const
  {
    Array<int> inner = entities.at(cell), edge;
    for (unsigned int subset = 1; subset + 1 < 1u << n_vertices; ++subset)
      {
        Vertices part;
        part.fill(-1);
        int n = 0;
        for (int v = 0; v < n_vertices; ++v)
          if (subset >> v & 1u)
            part[n++] = cell[v];
        if (n > 1)
          if (const auto found = entities.find(part); found != entities.end())
            edge.insert(edge.end(), found->second.begin(), found->second.end());
      }
    sort_by_weights(cell, order, inner);
    sort_by_weights(cell, order, edge);
    inner.insert(inner.end(), edge.begin(), edge.end());
    return inner;
  }

  LocalRows local_rows(const Vertices &cell, const std::vector<int> &order, const Array<int> &numbers)
  {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      local_number[numbers[i]] = static_cast<int>(i);
    for (int v = 0; v < n_vertices; ++v)
      local_number[nodes.finest_node[0][cell[order[v]]]] = static_cast<int>(numbers.size()) + v;
    LocalRows local;
    for (std::size_t i = 0; i < entities.at(cell).size(); ++i)
      {
        std::vector<std::pair<int, double>> row;
        for (auto k = matrix.row_start[numbers[i]]; k < matrix.row_start[numbers[i] + 1]; ++k)
          if (std::abs(matrix.value[k]) > 1e-14 * largest)
            row.emplace_back(local_number[matrix.column[k]], matrix.value[k]);
        std::sort(row.begin(), row.end());
        local.push_back(row);
      }
    return local;
  }

  Vertices vertices_of(int node) const
  {
    Vertices v;
    v.fill(-1);
    std::copy(&T.column[T.row_start[node]], &T.column[T.row_start[node]] + (T.row_start[node + 1] - T.row_start[node]),
              v.begin());
    return v;
  }

  // By their weights at the vertices, the first ones' first.
  void sort_by_weights(const Vertices &cell, const std::vector<int> &order, Array<int> &list) const
  {
    std::vector<std::pair<std::array<long, most_vertices>, int>> keys;
    for (const int node : list)
      {
        std::array<long, most_vertices> key = {};
        for (int v = 0; v < n_vertices; ++v)
          for (auto k = T.row_start[node]; k < T.row_start[node + 1]; ++k)
            if (T.column[k] == cell[order[v]])
              key[v] = std::lround(T.value[k] * (1L << 40));
        keys.emplace_back(key, node);
      }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = keys[i].second;
  }

  const CSRMatrix<double> &matrix;
  CSRMatrix<double>        T;
  const NestedNodes       &nodes;
  Array<int>               local_number;
  std::vector<LocalRows>   models; // of each class
  int                      n_vertices = 0;
  double                   largest    = 0.; // diagonal entry
};
} // namespace

MacroCells::MacroCells(const NestedNodes &nodes, const CSRMatrix<double> &matrix)
{
  Builder    builder(nodes, matrix);
  Array<int> number_in_E(matrix.n_rows, -1);
  for (const auto &[vertices, list] : builder.entities)
    for (const int node : list)
      if (const int number = nodes.unknown[node]; number >= 0)
        {
          if (vertices[1] < 0)
            coarse.push_back(number);
          else if (!builder.is_cell(vertices))
            {
              number_in_E[node] = static_cast<int>(edge.size());
              edge.push_back(number);
            }
          else
            ++n_inner;
        }
  for (const auto &[cell, list] : builder.entities)
    {
      if (!builder.is_cell(cell))
        continue;
      const auto [number, nodes_of_cell] = builder.classify(cell);
      const int inner = static_cast<int>(list.size()), all = static_cast<int>(nodes_of_cell.size());
      if (number == classes.size())
        classes.push_back({0, inner, all - inner, {}, {}});
      Class &to = classes[number];
      for (int i = 0; i < inner; ++i)
        {
          to.inner.push_back(nodes.unknown[nodes_of_cell[i]]);
          require(to.inner.back() >= 0,
                  "schur: a node inside a coarse cell is prescribed; take Solver/Solver = multigrid");
        }
      for (int i = inner; i < all; ++i)
        to.edge.push_back(number_in_E[nodes_of_cell[i]]);
      ++to.n_cells;
    }
}
} // namespace adamant
