#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/tensor.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace adamant
{
/// Returns the direction against gravity, which is not zero.
template <int dim>
dealii::Tensor<1, dim> upwards(const std::vector<double> &gravity)
{
  dealii::Tensor<1, dim> up;
  for (int d = 0; d < dim; ++d)
    up[d] = -gravity[d];
  return up / up.norm();
}

/// Returns the heights x · up of n points x, which have coordinate d of point i at [d n + i].
template <int dim>
Array<double> heights_of(const Array<double> &points, const dealii::Tensor<1, dim> &up)
{
  const std::size_t n = points.size() / dim;
  Array<double>     heights(n, 0.);
  for (std::size_t i = 0; i < n; ++i)
    for (int d = 0; d < dim; ++d)
      heights[i] += up[d] * points[d * n + i];
  return heights;
}

/// Returns the heights of the mesh's lowest and of its highest vertex. All ranks call it together.
template <int dim>
std::array<double, 2> height_range(const LevelSpace<dim> &space, const dealii::Tensor<1, dim> &up)
{
  constexpr double none   = std::numeric_limits<double>::max();
  double           ends[] = {-none, -none}; // -least and most
  for (const auto &cell : space.active_cells())
    for (const unsigned int v : cell->vertex_indices())
      {
        ends[0] = std::max(ends[0], -(up * cell->vertex(v)));
        ends[1] = std::max(ends[1], up * cell->vertex(v));
      }
  space.communicator().max(ends, 2);
  return {{-ends[0], ends[1]}};
}
} // namespace adamant
