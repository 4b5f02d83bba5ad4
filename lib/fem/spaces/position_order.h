#pragma once

#include "base/parallel_for.h"
#include "fem/meshes/cell_list.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/point.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <parallel/algorithm>
#include <utility>
#include <vector>

namespace adamant
{
/// Turns a point into one number: its coordinates on a grid of 2^-20 of the bounding box of some cells. The axis on
/// which the cells' vertices have the most different positions varies fastest: lines stay long where a mesh is refined
/// towards a face. In 3D the axis with the fewest is the middle one, which keeps the planes small and the ranges of
/// rows that threads own compact.
template <int dim>
class PositionKey
{
public:
  explicit PositionKey(const CellList<dim> &cells)
  {
    const auto &vertices = cells.mesh()->get_vertices();
    // Only these cells' vertices count, not the vertices of vanished cells, finer cells or other ranks' cells.
    Array<char> taken(cells.end_of(0), 0);
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells.size(); ++c)
      for (unsigned int v = 0; v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
        write_atomically(taken[cells[c]->vertex_index(v)], 1);
    std::array<std::size_t, dim> n_positions;
    for (int d = 0; d < dim; ++d)
      {
        double low = std::numeric_limits<double>::max(), high = -low;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
        for (std::size_t v = 0; v < taken.size(); ++v)
          if (taken[v] != 0)
            {
              low  = std::min(low, vertices[v][d]);
              high = std::max(high, vertices[v][d]);
            }
        lower[d] = low;
        upper[d] = high;
        std::vector<char> found((1 << 20) + 1, 0);
#pragma omp parallel for schedule(static)
        for (std::size_t v = 0; v < taken.size(); ++v)
          if (taken[v] != 0)
            write_atomically(found[on_grid(vertices[v], d)], 1);
        n_positions[d] = std::count(found.begin(), found.end(), 1);
      }
    std::iota(axes.rbegin(), axes.rend(), 0);
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return n_positions[a] < n_positions[b]; });
    std::swap(axes[0], axes[dim == 3 ? 1 : 0]);
  }

  std::uint64_t operator()(const dealii::Point<dim> &p) const
  {
    std::uint64_t key = 0;
    for (const int d : axes)
      key = (key << 21) | on_grid(p, d);
    return key;
  }

private:
  std::uint64_t on_grid(const dealii::Point<dim> &p, int d) const
  {
    const double extent = upper[d] - lower[d]; // 0 in meshes without volume, which other code refuses
    return extent > 0. ? std::uint64_t(std::lround((p[d] - lower[d]) / extent * (1 << 20))) : 0;
  }

  dealii::Point<dim>   lower, upper;
  std::array<int, dim> axes; // the slowest first
};

/// Sorts items, such as DoFs, by their positions in the straight-sided cells, line by line. Neighbours on a line are
/// then neighbours in memory, and products run through the vector units without indirection.
template <int dim>
class PositionOrder
{
public:
  /// The items lie at some of the `unit_points` of the cells.
  PositionOrder(const CellList<dim> &cells, const std::vector<dealii::Point<dim>> &unit_points, std::size_t n_items)
    : key(cells)
    , weights(unit_points.size())
    , order(n_items)
  {
    for (std::size_t i = 0; i < unit_points.size(); ++i)
      for (unsigned int v = 0; v < n_vertices; ++v)
        weights[i][v] = dealii::GeometryInfo<dim>::d_linear_shape_function(unit_points[i], v);
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k] = {unused, static_cast<int>(k)};
  }

  /// item_of(i) returns the item at point i of the cell; it is negative where there is none. Threads may do it at once.
  template <class ItemOf>
  void place(const typename CellList<dim>::Cell &cell, const ItemOf &item_of)
  {
    std::array<dealii::Point<dim>, n_vertices> vertices;
    for (unsigned int v = 0; v < n_vertices; ++v)
      vertices[v] = cell->vertex(v);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (const int item = item_of(i); item >= 0 && __atomic_load_n(&order[item].first, __ATOMIC_RELAXED) == unused)
        {
          dealii::Point<dim> p;
          for (unsigned int v = 0; v < n_vertices; ++v)
            p += weights[i][v] * vertices[v];
          // Any of the cells that share the item may do it.
          write_atomically(order[item].first, key(p));
        }
  }

  /// Returns the items that have a place, in their order.
  Array<int> sorted()
  {
    __gnu_parallel::sort(order.begin(), order.end()); // all are different: the same for any number of threads
    const auto end =
      std::partition_point(order.begin(), order.end(), [](const auto &item) { return item.first != unused; });
    Array<int> items(end - order.begin());
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < items.size(); ++k)
      items[k] = order[k].second;
    order = Array<std::pair<std::uint64_t, int>>(); // not beside what deal.II needs for renumbering
    return items;
  }

private:
  static constexpr unsigned int  n_vertices = dealii::GeometryInfo<dim>::vertices_per_cell;
  static constexpr std::uint64_t unused     = -1;

  const PositionKey<dim>                      key;
  std::vector<std::array<double, n_vertices>> weights; // of the vertices at each point
  Array<std::pair<std::uint64_t, int>>        order;
};
} // namespace adamant
