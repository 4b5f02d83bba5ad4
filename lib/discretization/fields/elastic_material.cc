#include "discretization/fields/elastic_material.h"

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

template <int dim>
std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterial &material)
{
  std::vector<std::string> names;
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      names.push_back(std::string("stress_") + "xyz"[a] + "xyz"[b]);
  names.emplace_back("von_mises");
  return std::make_shared<const GradientPostprocessor<dim>>(names, [material](const Tensor<2, dim> &grad_u) {
    const auto          strain = symmetrize(grad_u);
    const auto          sigma  = material.stress(strain);
    std::vector<double> values;
    for (int a = 0; a < dim; ++a)
      for (int b = a; b < dim; ++b)
        values.push_back(sigma[a][b]);
    values.push_back(material.von_mises(strain));
    return values;
  });
}

template <int dim>
Energies energies(const LevelSpace<dim> &space, const Mapping<dim> &mapping, const Quadrature<dim> &quadrature,
                  const ElasticMaterial &material, const double *owned_u, const double *owned_v,
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
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        sums[0] += 0.5 * (material.stress(strain[q]) * strain[q]) * fe_values.JxW(q);
        sums[1] += 0.5 * material.density * velocity[q].norm_square() * fe_values.JxW(q);
      }
  };
  const auto sums = integrate<2>(space, mapping, quadrature, update_values | update_gradients | update_JxW_values, add);
  return {sums[0], sums[1]};
}

#define INSTANTIATE(dim)                                                                                    \
  template double ElasticMaterial::von_mises(const SymmetricTensor<2, dim> &) const;                        \
  template std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterial &); \
  template Energies energies(const LevelSpace<dim> &, const Mapping<dim> &, const Quadrature<dim> &,        \
                             const ElasticMaterial &, const double *, const double *, unsigned int);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
