#pragma once

#include "base/array.h"
#include "fem/forms/cell_loop.h"

#include <array>
#include <cstddef>

namespace adamant
{
/// Returns n integrals over the mesh. The function add(cell number, FEValues, sums) adds the integrals over one cell to
/// sums[0], ..., sums[n-1], which come as zeros; threads call it as in for_each_cell. The cells' parts are summed in
/// order, so the result does not depend on the number of threads. All ranks call it together and get the sums over all
/// ranks.
template <std::size_t n, int dim, typename Add>
std::array<double, n> integrate(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags, const Add &add)
{
  Array<double> parts(n * space.n_cells(), 0.);
  for_each_cell(space, mapping, quadrature, flags, [&](int cell, const dealii::FEValues<dim> &fe_values) {
    add(cell, fe_values, parts.data() + n * cell);
  });
  std::array<double, n> sums{};
  for (std::size_t k = 0; k < parts.size(); ++k)
    sums[k % n] += parts[k];
  space.communicator().sum(sums.data(), n);
  return sums;
}
} // namespace adamant
