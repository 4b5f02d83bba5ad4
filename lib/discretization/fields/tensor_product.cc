#include "discretization/fields/tensor_product.h"

#include "base/exceptions.h"
#include "discretization/fields/points.h"

#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adamant
{
namespace
{
Eigenpairs eigenpairs(const std::vector<double> &x)
{
  const unsigned int               n = x.size();
  dealii::LAPACKFullMatrix<double> K(n), M(n);
  K = 0.;
  M = 0.;
  for (unsigned int cell = 0; cell + 1 < n; ++cell)
    {
      const double h = x[cell + 1] - x[cell];
      for (unsigned int i = 0; i < 2; ++i)
        for (unsigned int j = 0; j < 2; ++j)
          {
            K(cell + i, cell + j) += (i == j ? 1. : -1.) / h;
            M(cell + i, cell + j) += h * (i == j ? 1. / 3. : 1. / 6.);
          }
    }
  std::vector<dealii::Vector<double>> vectors(n, dealii::Vector<double>(n));
  K.compute_generalized_eigenvalues_symmetric(M, vectors);
  Eigenpairs pairs{static_cast<int>(n), Array<double>(n), Array<double>(std::size_t(n) * n)};
  for (unsigned int k = 0; k < n; ++k)
    {
      pairs.value[k] = K.eigenvalue(k).real();
      for (unsigned int i = 0; i < n; ++i)
        pairs.vectors[i * n + k] = vectors[k][i];
    }
  return pairs;
}
} // namespace

template <int dim>
std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const auto refuse = [] {
    throw InputError("fast diagonalization: the mesh is not a tensor product of coordinates without constraints");
  };
  const int  n = space.n_dofs();
  Array<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto points = support_points(space, mapping, all);
  const auto at     = [&](int d, long i) { return points[std::size_t(d) * n + i]; };
  for (int i = 0; i < n; ++i)
    if (!space.is_free(i))
      refuse();
  double size = 0;
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
  for (long i = 0; i < n; ++i)
    for (long k = 0, rest = i; k < dim; rest /= static_cast<long>(x[k].size()), ++k)
      if (std::abs(at(direction[k], i) - x[k][rest % static_cast<long>(x[k].size())]) > 1e-10 * size)
        refuse();

  std::vector<Eigenpairs> pairs;
  for (const auto &coordinates : x)
    pairs.push_back(eigenpairs(coordinates));
  return pairs;
}

template std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<2> &, const dealii::Mapping<2> &);
template std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<3> &, const dealii::Mapping<3> &);
} // namespace adamant
