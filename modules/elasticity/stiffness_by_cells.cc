#include "elasticity/stiffness_by_cells.h"

#include "base/exceptions.h"
#include "fem/forms/cell_loop.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <limits>

namespace adamant
{
namespace
{
// Returns μ of each cell, and widens the range from least to most λ/μ.
template <int dim>
Array<double> moduli_of_cells(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                              const ElasticMaterials &materials, double &least, double &most)
{
  Array<double> mu(space.n_cells());
  const auto    take = [&](int cell, const ElasticMaterial &material, double &low, double &high) {
    mu[cell] = material.mu;
    low      = std::min(low, material.lambda / material.mu);
    high     = std::max(high, material.lambda / material.mu);
  };
  if (materials.is_constant())
    for (int cell = 0; cell < space.n_cells(); ++cell)
      take(cell, materials.in(material_id(space.active_cells()[cell])), least, most);
  else
    {
      Array<double> low(space.n_cells(), least), high(space.n_cells(), most);
      for_each_cell(space, mapping, dealii::QGauss<dim>(2), dealii::update_quadrature_points,
                    [&](int cell, const dealii::FEValues<dim> &values) {
                      std::vector<ElasticMaterial> at_points;
                      for (const auto &point : values.get_quadrature_points())
                        at_points.push_back(materials.at(material_id(space.active_cells()[cell]), point));
                      take(cell, mean_of(at_points), low[cell], high[cell]);
                    });
      for (int cell = 0; cell < space.n_cells(); ++cell)
        {
          least = std::min(least, low[cell]);
          most  = std::max(most, high[cell]);
        }
    }
  return mu;
}

// Returns the stiffness of each shape of cells for μ = 1, as cells_of_level takes it; empty where cells have as many
// shapes as a mesh of boxes has not.
template <int dim>
Array<double> stiffness_of_shapes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, double lambda,
                                  bool b_bar)
{
  const auto flags  = dealii::update_gradients | dealii::update_JxW_values;
  const auto cells  = numbers_below(space.n_cells());
  const auto shapes = shapes_of(space, cells, cells_of_same_shape(space, cells, mapping, flags, false)).first;
  if (static_cast<int>(shapes.size()) > std::max(64, space.n_cells() / 16))
    return {};
  const dealii::FE_Q<dim> vertices(1);
  dealii::FEValues<dim>   values(mapping, vertices, dealii::QGauss<dim>(2), flags);
  Array<double>           result;
  for (const int shape : shapes)
    {
      values.reinit(space.active_cells()[shape]);
      double                              volume = 0.;
      std::vector<dealii::Tensor<1, dim>> D(values.dofs_per_cell); // ∫ grad φ_a
      for (const unsigned int q : values.quadrature_point_indices())
        {
          volume += values.JxW(q);
          for (const unsigned int a : values.dof_indices())
            D[a] += values.shape_grad(a, q) * values.JxW(q);
        }
      for (const unsigned int a : values.dof_indices())
        for (const unsigned int b : values.dof_indices())
          {
            dealii::Tensor<2, dim> G;
            for (const unsigned int q : values.quadrature_point_indices())
              G += outer_product(values.shape_grad(a, q) * values.JxW(q), values.shape_grad(b, q));
            const auto divergences = b_bar ? outer_product(D[a] / volume, D[b]) : G;
            for (unsigned int c = 0; c < dim; ++c)
              for (unsigned int d = 0; d < dim; ++d)
                result.push_back(lambda * divergences[c][d] + G[d][c] + (c == d ? trace(G) : 0.));
          }
    }
  return result;
}
} // namespace

template <int dim>
std::vector<std::shared_ptr<const RowlessMatrix>>
stiffness_by_cells(const Device &device, const Field<dim> &displacement, const dealii::Mapping<dim> &mapping,
                   const ElasticMaterials &materials, Products products)
{
  std::vector<Array<double>> mu(displacement.n_levels());
  double                     range[2] = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};
  products                            = products_on(device, products);
  for (std::size_t level = 1; products != Products::rows && level < mu.size(); ++level)
    {
      double least = -range[0], most = range[1];
      mu[level] = moduli_of_cells(displacement.space(level), mapping, materials, least, most);
      range[0]  = -least;
      range[1]  = most;
    }
  displacement.finest().communicator().max(range, 2);
  const double least = -range[0], most = range[1];
  const bool   one = most - least <= 1e-12 * std::max(std::abs(most), 1.);
  require(one || products != Products::cells,
          "Linear solver/Products = cells needs one Poisson ratio, but lambda/mu goes from ", least, " to ", most);
  const auto matrices =
    matrices_by_cells(device, displacement, one ? products : Products::rows, [&](std::size_t level) {
      return stiffness_of_shapes(displacement.space(level), mapping, most, materials.b_bar);
    });
  for (std::size_t level = 0; level < matrices.size(); ++level)
    if (matrices[level])
      matrices[level]->set(Vector<double>(device, mu[level]));
  return {matrices.begin(), matrices.end()};
}

template std::vector<std::shared_ptr<const RowlessMatrix>>
stiffness_by_cells(const Device &, const Field<2> &, const dealii::Mapping<2> &, const ElasticMaterials &, Products);
template std::vector<std::shared_ptr<const RowlessMatrix>>
stiffness_by_cells(const Device &, const Field<3> &, const dealii::Mapping<3> &, const ElasticMaterials &, Products);
} // namespace adamant
