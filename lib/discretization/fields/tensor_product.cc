#include "discretization/fields/tensor_product.h"

#include "base/exceptions.h"
#include "discretization/fields/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace adamant
{
template <int dim>
std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                                  bool without_prescribed)
{
  const auto refuse = [] {
    throw InputError("fast diagonalization: the mesh is not a tensor product of coordinates with values that are free, "
                     "or prescribed on whole sides");
  };
  const int  n = space.n_dofs();
  Array<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto points = support_points(space, mapping, all);
  const auto at     = [&](int d, long i) { return points[std::size_t(d) * n + i]; };
  double     size   = 0;
  for (int d = 0; d < dim; ++d)
    size = std::max(size, std::abs(at(d, n - 1) - at(d, 0)));

  // Nodes are numbered along lines of any direction first: find the order of directions, fastest first, and their
  // coordinates.
  std::vector<std::vector<double>> x;
  std::vector<int>                 direction;
  long                             stride = 1;
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
  // Where on the lines of each direction node i is.
  const auto places = [&](long i) {
    std::array<long, dim> place;
    for (int k = 0; k < dim; i /= static_cast<long>(x[k].size()), ++k)
      place[k] = i % static_cast<long>(x[k].size());
    return place;
  };
  // A side is prescribed if all of its nodes are; no other nodes may be.
  std::array<std::array<bool, 2>, dim> prescribed;
  for (auto &sides : prescribed)
    sides = {{true, true}};
  const auto side = [&](int k, long place) { return place == 0 ? 0 : place + 1 == long(x[k].size()) ? 1 : -1; };
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

  std::vector<Eigenpairs> pairs;
  for (int k = 0; k < dim; ++k)
    pairs.push_back(one_dimensional_eigenpairs(x[k], prescribed[k][0], prescribed[k][1], without_prescribed));
  return pairs;
}

template std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<2> &, const dealii::Mapping<2> &, bool);
template std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<3> &, const dealii::Mapping<3> &, bool);
} // namespace adamant
