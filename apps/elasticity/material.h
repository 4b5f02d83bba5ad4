#pragma once

#include "discretization/forms/integral.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <cmath>
#include <string>
#include <vector>

/// What a material makes of a displacement: stress, von Mises stress, energies.
namespace elasticity
{
/// Isotropic material: sigma = lambda tr(epsilon) I + 2 mu epsilon; in two dimensions plane strain.
struct Material
{
  double lambda, mu, density;

  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    return lambda * dealii::trace(strain) * dealii::unit_symmetric_tensor<dim>() + 2. * mu * strain;
  }

  /// sqrt(3/2) |deviatoric stress|, with sigma_zz = lambda tr(epsilon) in plane strain.
  template <int dim>
  double von_mises(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    const auto   sigma    = stress(strain);
    const double sigma_zz = dim == 2 ? lambda * dealii::trace(strain) : 0.;
    const double mean     = (dealii::trace(sigma) + sigma_zz) / 3.;
    const auto   deviator = sigma - mean * dealii::unit_symmetric_tensor<dim>();
    const double square   = deviator * deviator + (dim == 2 ? (sigma_zz - mean) * (sigma_zz - mean) : 0.);
    return std::sqrt(1.5 * square);
  }
};

/// The stress components and the von Mises stress for DataOut; the displacement is the first dim components of what it gets.
template <int dim>
class StressPostprocessor : public dealii::DataPostprocessor<dim>
{
public:
  explicit StressPostprocessor(const Material &material)
    : material(material)
  {}

  void evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                             std::vector<dealii::Vector<double>>                &results) const override
  {
    for (unsigned int q = 0; q < results.size(); ++q)
      {
        dealii::Tensor<2, dim> grad_u;
        for (int d = 0; d < dim; ++d)
          grad_u[d] = input.solution_gradients[q][d];
        const auto   strain = dealii::symmetrize(grad_u);
        const auto   sigma  = material.stress(strain);
        unsigned int k      = 0;
        for (int a = 0; a < dim; ++a)
          for (int b = a; b < dim; ++b)
            results[q](k++) = sigma[a][b];
        results[q](k) = material.von_mises(strain);
      }
  }

  std::vector<std::string> get_names() const override
  {
    return dim == 2 ? std::vector<std::string>{"stress_xx", "stress_xy", "stress_yy", "von_mises"} :
                      std::vector<std::string>{"stress_xx", "stress_xy", "stress_xz", "stress_yy",
                                               "stress_yz", "stress_zz", "von_mises"};
  }

  std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>
  get_data_component_interpretation() const override
  {
    return std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>(
      get_names().size(), dealii::DataComponentInterpretation::component_is_scalar);
  }

  dealii::UpdateFlags get_needed_update_flags() const override { return dealii::update_gradients; }

private:
  const Material material;
};

struct Energies
{
  double strain, kinetic;
};

/// 1/2 ∫ sigma(u) : epsilon(u) and 1/2 ∫ rho |v|² of nodal values at the owned DoFs, host memory: u is in the components 0, ..., dim - 1 of
/// the space, v in those from first_velocity on.
template <int dim>
Energies energies(const adamant::LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const Material &material, const double *owned_u,
                  const double *owned_v, unsigned int first_velocity)
{
  const dealii::FEValuesExtractors::Vector displacement(0), velocity(first_velocity);
  const auto                               u = space.local_values(owned_u), v = space.local_values(owned_v);
  const auto add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *sums) {
    std::vector<double> u_cell, v_cell;
    for (const unsigned int i : fe_values.dof_indices())
      {
        u_cell.push_back(u[space.cell_dofs(cell)[i]]);
        v_cell.push_back(v[space.cell_dofs(cell)[i]]);
      }
    std::vector<dealii::SymmetricTensor<2, dim>> strain(fe_values.n_quadrature_points);
    std::vector<dealii::Tensor<1, dim>>          speed(fe_values.n_quadrature_points);
    fe_values[displacement].get_function_symmetric_gradients_from_local_dof_values(u_cell, strain);
    fe_values[velocity].get_function_values_from_local_dof_values(v_cell, speed);
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        sums[0] += 0.5 * (material.stress(strain[q]) * strain[q]) * fe_values.JxW(q);
        sums[1] += 0.5 * material.density * speed[q].norm_square() * fe_values.JxW(q);
      }
  };
  const auto sums =
    adamant::integrate<2>(space, mapping, quadrature,
                          dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, add);
  return {sums[0], sums[1]};
}
} // namespace elasticity
