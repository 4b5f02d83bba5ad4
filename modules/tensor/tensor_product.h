#pragma once

#include "base/exceptions.h"
#include "fem/functions/points.h"
#include "fem/spaces/level_space.h"
#include "tensor/fast_diagonalization.h"

#include <deal.II/fe/mapping.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace adamant
{
/// Nodes that are numbered along lines of one direction after the other. Throws InputError for all others.
template <int dim>
struct TensorGrid
{
  int                                  n;
  Array<double>                        points; // coordinate d of node i: d n + i
  double                               size = 0;
  std::vector<int>                     direction;  // of lines, fastest first
  std::vector<std::vector<double>>     x;          // coordinates along each
  std::array<std::array<bool, 2>, dim> prescribed; // the sides at the ends of its lines

  TensorGrid(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
    : n(space.n_dofs())
  {
    Array<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    points = support_points(space, mapping, all);
    for (int d = 0; d < dim; ++d)
      size = std::max(size, std::abs(at(d, n - 1) - at(d, 0)));
    find_lines();
    find_sides(space);
    check(space);
  }

private:
  [[noreturn]] static void refuse()
  {
    throw InputError("fast diagonalization: the mesh is not a tensor product of coordinates with values that are free, "
                     "or prescribed on whole sides");
  }

  double at(int d, long i) const { return points[std::size_t(d) * n + i]; }

  void find_lines()
  {
    long stride = 1;
    while (stride < n)
      {
        int d = 0;
        while (d < dim && !(at(d, stride) > at(d, 0) + 1e-10 * size))
          ++d;
        if (d == dim || std::count(direction.begin(), direction.end(), d) > 0)
          refuse();
        direction.push_back(d);
        x.push_back({at(d, 0)});
        for (long i = stride; i < n && at(d, i) > x.back().back() + 1e-10 * size; i += stride)
          x.back().push_back(at(d, i));
        stride *= static_cast<long>(x.back().size());
      }
    if (stride != n || static_cast<int>(x.size()) != dim)
      refuse();
  }

  // Where on the lines of each direction node i is.
  std::array<long, dim> places(long i) const
  {
    std::array<long, dim> place;
    for (int k = 0; k < dim; i /= static_cast<long>(x[k].size()), ++k)
      place[k] = i % static_cast<long>(x[k].size());
    return place;
  }
  int side(int k, long place) const { return place == 0 ? 0 : place + 1 == long(x[k].size()) ? 1 : -1; }

  // A side is prescribed if all of its nodes are.
  void find_sides(const LevelSpace<dim> &space)
  {
    for (auto &sides : prescribed)
      sides = {{true, true}};
    for (long i = 0; i < n; ++i)
      {
        const auto place = places(i);
        for (int k = 0; k < dim; ++k)
          {
            if (std::abs(at(direction[k], i) - x[k][place[k]]) > 1e-10 * size)
              refuse();
            if (const int s = side(k, place[k]); s >= 0 && space.is_free(i))
              prescribed[k][s] = false;
          }
      }
  }

  // No other nodes may be.
  void check(const LevelSpace<dim> &space) const
  {
    for (long i = 0; i < n; ++i)
      {
        const auto place = places(i);
        bool       free  = true;
        for (int k = 0; k < dim; ++k)
          if (const int s = side(k, place[k]); s >= 0)
            free = free && !prescribed[k][s];
        if (free != space.is_free(i))
          refuse();
      }
  }
};

/// Returns the one-dimensional eigenpairs of a scalar Q1 space whose nodes are a tensor product of coordinates,
/// numbered along lines. The direction whose numbers follow each other is first. Values may be prescribed on whole
/// sides. With `without_prescribed`, vectors have no prescribed nodes. Throws InputError for any other space.
template <int dim>
std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                                  bool without_prescribed = false)
{
  const TensorGrid<dim>   grid(space, mapping);
  std::vector<Eigenpairs> pairs;
  for (int k = 0; k < dim; ++k)
    pairs.push_back(
      one_dimensional_eigenpairs(grid.x[k], grid.prescribed[k][0], grid.prescribed[k][1], without_prescribed));
  return pairs;
}
} // namespace adamant
