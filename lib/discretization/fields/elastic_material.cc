#include "discretization/fields/elastic_material.h"

#include "discretization/fields/points.h"
#include "discretization/forms/integral.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
using namespace dealii;

template <int dim>
double ElasticMaterial::von_mises(const SymmetricTensor<2, dim> &strain) const
{
  const auto   sigma    = stress(strain);
  const double sigma_zz = dim == 2 ? lambda * trace(strain) : 0.;
  const double mean     = (trace(sigma) + sigma_zz) / 3.;
  const auto   deviator = sigma - mean * unit_symmetric_tensor<dim>();
  const double square   = deviator * deviator + (dim == 2 ? (sigma_zz - mean) * (sigma_zz - mean) : 0.);
  return std::sqrt(1.5 * square);
}

namespace
{
// Calls action(a, b) for the components of a stress in their order.
template <int dim, typename Action>
void for_each_component(const Action &action)
{
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      action(a, b);
}

} // namespace

template <int dim>
std::vector<std::string> stress_names()
{
  std::vector<std::string> names;
  for_each_component<dim>([&](int a, int b) { names.push_back(std::string("stress_") + "xyz"[a] + "xyz"[b]); });
  return names;
}

template <int dim>
std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterials &materials)
{
  auto names = stress_names<dim>();
  names.emplace_back("von_mises");
  const auto stresses = [materials](const Tensor<2, dim> &grad_u, types::material_id id) {
    const auto         &material = materials(id);
    const auto          strain = symmetrize(grad_u), sigma = material.stress(strain);
    std::vector<double> values;
    for_each_component<dim>([&](int a, int b) { values.push_back(sigma[a][b]); });
    values.push_back(material.von_mises(strain));
    return values;
  };
  return std::make_shared<const GradientPostprocessor<dim>>(names, stresses);
}

template <int dim>
CSRMatrix<double> stress_matrix(const LevelSpace<dim> &space, const Mapping<dim> &mapping,
                                const ElasticMaterials &materials, const std::vector<Point<dim>> &points)
{
  const auto &fe = space.dof_handler().get_fe();
  return point_matrix<dim>(space, mapping, points, dim * (dim + 1) / 2 + 1, update_gradients,
                           [&](const FEValues<dim> &values, unsigned int i, std::vector<double> &shares) {
                             const unsigned int c = fe.system_to_component_index(i).first;
                             if (c >= dim)
                               return;
                             Tensor<2, dim> gradient;
                             gradient[c]          = values.shape_grad(i, 0);
                             const auto &material = materials(values.get_cell()->material_id());
                             const auto  strain = symmetrize(gradient), sigma = material.stress(strain);
                             auto        share = shares.begin();
                             for_each_component<dim>([&](int a, int b) { *share++ = sigma[a][b]; });
                             *share = dim == 2 ? material.lambda * trace(strain) : sigma[dim - 1][dim - 1];
                           });
}

template <int dim>
Energies energies(const LevelSpace<dim> &space, const Mapping<dim> &mapping, const Quadrature<dim> &quadrature,
                  const ElasticMaterials &materials, const double *owned_u, const double *owned_v,
                  unsigned int first_velocity)
{
  const auto u = space.local_values(owned_u), v = space.local_values(owned_v);
  const auto add = [&](int cell, const FEValues<dim> &fe_values, double *sums) {
    std::vector<double> u_cell, v_cell;
    for (const unsigned int i : fe_values.dof_indices())
      {
        u_cell.push_back(u[space.cell_dofs(cell)[i]]);
        v_cell.push_back(v[space.cell_dofs(cell)[i]]);
      }
    std::vector<SymmetricTensor<2, dim>> strain(fe_values.n_quadrature_points);
    std::vector<Tensor<1, dim>>          velocity(fe_values.n_quadrature_points);
    fe_values[FEValuesExtractors::Vector(0)].get_function_symmetric_gradients_from_local_dof_values(u_cell, strain);
    fe_values[FEValuesExtractors::Vector(first_velocity)].get_function_values_from_local_dof_values(v_cell, velocity);
    const auto &material = materials(fe_values.get_cell()->material_id());
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        sums[0] += 0.5 * (material.stress(strain[q]) * strain[q]) * fe_values.JxW(q);
        sums[1] += 0.5 * material.density * velocity[q].norm_square() * fe_values.JxW(q);
      }
  };
  const auto sums = integrate<2>(space, mapping, quadrature, update_values | update_gradients | update_JxW_values, add);
  return {sums[0], sums[1]};
}

#define INSTANTIATE(dim)                                                                                            \
  template double                   ElasticMaterial::von_mises(const SymmetricTensor<2, dim> &) const;              \
  template std::vector<std::string> stress_names<dim>();                                                            \
  template std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterials &);        \
  template CSRMatrix<double> stress_matrix(const LevelSpace<dim> &, const Mapping<dim> &, const ElasticMaterials &, \
                                           const std::vector<Point<dim>> &);                                        \
  template Energies          energies(const LevelSpace<dim> &, const Mapping<dim> &, const Quadrature<dim> &,       \
                                      const ElasticMaterials &, const double *, const double *, unsigned int);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
