#pragma once

#include "base/array.h"
#include "fem/forms/cell_loop.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>

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

/// Returns f in all materials, for load_vector; f has to outlive the result.
template <int dim>
std::function<const dealii::Function<dim> &(unsigned int material)> everywhere(const dealii::Function<dim> &f)
{
  return [&f](unsigned int) -> const dealii::Function<dim> & { return f; };
}

/// Returns the load F_i = ∫ f . φ_i + ∫_Γ g . φ_i for the owned DoFs of the space, in host memory. Hanging nodes are
/// not eliminated. f and g have the first components of the space, all or fewer. The material id of a cell gives f, and
/// the boundary id of a face gives g. Several threads evaluate f and g at once. All ranks call it together.
template <int dim>
Array<double> load_vector(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, const dealii::Quadrature<dim - 1> &face_quadrature,
                          const std::function<const dealii::Function<dim> &(unsigned int material)> &f,
                          const std::map<dealii::types::boundary_id, const dealii::Function<dim> *> &g);

/// Returns ‖u - exact‖ in L², as deal.II's VectorTools::integrate_difference does, but on all threads. The result does
/// not depend on the number of threads. `u` has the nodal values of the owned DoFs, in host memory. `exact` has the
/// space's first components, all or fewer, and several threads call it at once. All ranks call it together.
template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *u, const dealii::Function<dim> &exact);
} // namespace adamant
