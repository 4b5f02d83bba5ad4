#include "elasticity/stiffness_by_cells.h"

#include "fem/forms/cell_loop.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace adamant
{
namespace
{
// The moduli of a level's cells.
struct Moduli
{
  Array<double> mu, lambda;
};

template <int dim>
Moduli moduli_of_cells(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                       const ElasticMaterials &materials)
{
  Moduli     moduli{Array<double>(space.n_cells()), Array<double>(space.n_cells())};
  const auto take = [&](int cell, const ElasticMaterial &material) {
    moduli.mu[cell]     = material.mu;
    moduli.lambda[cell] = material.lambda;
  };
  if (materials.is_constant())
    for (int cell = 0; cell < space.n_cells(); ++cell)
      take(cell, materials.in(material_id(space.active_cells()[cell])));
  else
    for_each_cell(space, mapping, dealii::QGauss<dim>(2), dealii::update_quadrature_points,
                  [&](int cell, const dealii::FEValues<dim> &values) {
                    std::vector<ElasticMaterial> at_points;
                    for (const auto &point : values.get_quadrature_points())
                      at_points.push_back(materials.at(material_id(space.active_cells()[cell]), point));
                    take(cell, mean_of(at_points));
                  });
  return moduli;
}

// Returns λ/μ where it is one number on all levels and ranks.
std::optional<double> one_ratio(const Communicator &ranks, const std::vector<Moduli> &levels)
{
  double  range[2]    = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};
  double &minus_least = range[0], &most = range[1];
  for (const Moduli &level : levels)
    for (std::size_t cell = 0; cell < level.mu.size(); ++cell)
      {
        const double ratio = level.lambda[cell] / level.mu[cell];
        minus_least        = std::max(minus_least, -ratio);
        most               = std::max(most, ratio);
      }
  ranks.max(range, 2);
  return most + minus_least <= 1e-12 * std::max(std::abs(most), 1.) ? std::optional(most) : std::nullopt;
}

// Appends the stiffness of a shape of cells. It is that for μ = 1 and the given λ, or one for each of the two moduli.
template <int dim>
void add_stiffness(const dealii::FEValues<dim> &values, const std::optional<double> &lambda, bool b_bar,
                   Array<double> &result)
{
  double                              volume = 0.;
  std::vector<dealii::Tensor<1, dim>> D(values.dofs_per_cell); // ∫ grad φ_a
  for (const unsigned int q : values.quadrature_point_indices())
    {
      volume += values.JxW(q);
      for (const unsigned int a : values.dof_indices())
        D[a] += values.shape_grad(a, q) * values.JxW(q);
    }
  const auto add = [&](double of_mu, double of_lambda) {
    for (const unsigned int a : values.dof_indices())
      for (const unsigned int b : values.dof_indices())
        {
          dealii::Tensor<2, dim> G;
          for (const unsigned int q : values.quadrature_point_indices())
            G += outer_product(values.shape_grad(a, q) * values.JxW(q), values.shape_grad(b, q));
          const auto divergences = b_bar ? outer_product(D[a] / volume, D[b]) : G;
          for (unsigned int c = 0; c < dim; ++c)
            for (unsigned int d = 0; d < dim; ++d)
              result.push_back(of_lambda * divergences[c][d] + of_mu * (G[d][c] + (c == d ? trace(G) : 0.)));
        }
  };
  add(1., lambda.value_or(0.));
  if (!lambda)
    add(0., 1.);
}
} // namespace

template <int dim>
std::vector<std::shared_ptr<const RowlessMatrix>>
stiffness_by_cells(const Device &device, const Field<dim> &displacement, const dealii::Mapping<dim> &mapping,
                   const ElasticMaterials &materials, Products products)
{
  std::vector<Moduli> moduli(displacement.n_levels());
  for (std::size_t level = 1; products_on(device, products) != Products::rows && level < moduli.size(); ++level)
    moduli[level] = moduli_of_cells(displacement.space(level), mapping, materials);
  const auto ratio    = one_ratio(displacement.finest().communicator(), moduli);
  const auto matrices = matrices_by_cells(
    device, displacement, products,
    [&](std::size_t level) {
      return matrices_of_shapes<dim>(displacement.space(level), mapping, [&](const auto &values, auto &result) {
        add_stiffness(values, ratio, materials.b_bar, result);
      });
    },
    ratio ? 1 : 2);
  for (std::size_t level = 0; level < matrices.size(); ++level)
    if (matrices[level])
      {
        matrices[level]->set(Vector<double>(device, moduli[level].mu));
        if (!ratio)
          matrices[level]->set(Vector<double>(device, moduli[level].lambda), 1);
      }
  return {matrices.begin(), matrices.end()};
}

template decltype(stiffness_by_cells<2>) stiffness_by_cells<2>;
template decltype(stiffness_by_cells<3>) stiffness_by_cells<3>;
} // namespace adamant
