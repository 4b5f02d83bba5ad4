#pragma once

#include "base/parallel_for.h"
#include "fem/meshes/cell_list.h"

#include <deal.II/base/point.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace adamant
{
/// Turns a point into one number: its coordinates on a grid of 2^-20 of the bounding box of some cells. The axis on
/// which the cells' vertices have the most different positions varies fastest.
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
    std::swap(axes[0], axes[dim == 3 ? 1 : 0]); // in 3D the axis with the fewest is the middle one: small planes
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
} // namespace adamant
