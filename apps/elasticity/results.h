#pragma once

#include "discretization/forms/cell_loop.h"

#include <deal.II/base/function.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

/// What is computed from a displacement: stress, von Mises stress, energies, error. The displacement is the first dim components.
namespace elasticity
{
/// Isotropic material: sigma = lambda tr(epsilon) I + 2 mu epsilon; in two dimensions plane strain.
struct Material
{
  double lambda, mu, density;

  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::Tensor<2, dim> &grad_u) const
  {
    const auto strain = dealii::symmetrize(grad_u);
    return lambda * dealii::trace(strain) * dealii::unit_symmetric_tensor<dim>() + 2. * mu * strain;
  }

  /// sqrt(3/2) |deviatoric stress|, with sigma_zz = lambda tr(epsilon) in plane strain.
  template <int dim>
  double von_mises(const dealii::Tensor<2, dim> &grad_u) const
  {
    const auto   sigma    = stress(grad_u);
    const double sigma_zz = dim == 2 ? lambda * dealii::trace(grad_u) : 0.;
    const double mean     = (dealii::trace(sigma) + sigma_zz) / 3.;
    double       square   = dim == 2 ? (sigma_zz - mean) * (sigma_zz - mean) : 0.;
    for (int a = 0; a < dim; ++a)
      for (int b = 0; b < dim; ++b)
        square += std::pow(sigma[a][b] - (a == b ? mean : 0.), 2);
    return std::sqrt(1.5 * square);
  }
};

/// The stress components and the von Mises stress for DataOut.
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
        const auto   sigma = material.stress(grad_u);
        unsigned int k     = 0;
        for (int a = 0; a < dim; ++a)
          for (int b = a; b < dim; ++b)
            results[q](k++) = sigma[a][b];
        results[q](k) = material.von_mises(grad_u);
      }
  }

  std::vector<std::string> get_names() const override
  {
    const std::string        axis = "xyz";
    std::vector<std::string> names;
    for (int a = 0; a < dim; ++a)
      for (int b = a; b < dim; ++b)
        names.push_back(std::string("stress_") + axis[a] + axis[b]);
    names.emplace_back("von_mises");
    return names;
  }

  std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>
  get_data_component_interpretation() const override
  {
    return std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>(
      get_names().size(), dealii::DataComponentInterpretation::component_is_scalar);
  }

  dealii::UpdateFlags get_needed_update_flags() const override { return dealii::update_gradients; }

private:
  Material material;
};

/// The strain energy 1/2 ∫ sigma(u) : epsilon(u) and the kinetic energy 1/2 ∫ rho |v|² of nodal values at the owned DoFs;
/// component c of u and v is that of the space's component c and first_velocity + c.
template <int dim>
std::array<double, 2> energies(const adamant::LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                               const dealii::Quadrature<dim> &quadrature, const Material &material,
                               const double *owned_u, const double *owned_v, unsigned int first_velocity)
{
  const auto            &fe = space.dof_handler().get_fe();
  const auto             u = space.local_values(owned_u), v = space.local_values(owned_v);
  adamant::Array<double> strain(space.n_cells()), kinetic(space.n_cells());
  adamant::for_each_cell(
    space, mapping, quadrature, dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
    [&](int cell, const dealii::FEValues<dim> &fe_values) {
      const int *dofs = space.cell_dofs(cell);
      strain[cell] = kinetic[cell] = 0;
      for (const unsigned int q : fe_values.quadrature_point_indices())
        {
          dealii::Tensor<2, dim> grad_u;
          dealii::Tensor<1, dim> velocity;
          for (const unsigned int i : fe_values.dof_indices())
            {
              const unsigned int c = fe.system_to_component_index(i).first;
              if (c < dim)
                grad_u[c] += u[dofs[i]] * fe_values.shape_grad(i, q);
              if (c >= first_velocity && c < first_velocity + dim)
                velocity[c - first_velocity] += v[dofs[i]] * fe_values.shape_value(i, q);
            }
          strain[cell] += 0.5 * (material.stress(grad_u) * dealii::symmetrize(grad_u)) * fe_values.JxW(q);
          kinetic[cell] += 0.5 * material.density * velocity.norm_square() * fe_values.JxW(q);
        }
    });
  std::array<double, 2> sums{
    {std::accumulate(strain.begin(), strain.end(), 0.), std::accumulate(kinetic.begin(), kinetic.end(), 0.)}};
  space.communicator().sum(sums.data(), 2);
  return sums;
}

/// The displacement's error ‖u - exact‖ in L².
template <int dim>
double displacement_error(const adamant::LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature, const double *owned_u,
                          const dealii::Function<dim> &exact)
{
  const auto            &fe = space.dof_handler().get_fe();
  const auto             u  = space.local_values(owned_u);
  adamant::Array<double> squares(space.n_cells());
  adamant::for_each_cell(space, mapping, quadrature,
                         dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values,
                         [&](int cell, const dealii::FEValues<dim> &fe_values) {
                           const int *dofs = space.cell_dofs(cell);
                           squares[cell]   = 0;
                           for (const unsigned int q : fe_values.quadrature_point_indices())
                             {
                               dealii::Tensor<1, dim> difference;
                               for (unsigned int c = 0; c < dim; ++c)
                                 difference[c] = -exact.value(fe_values.quadrature_point(q), c);
                               for (const unsigned int i : fe_values.dof_indices())
                                 if (const unsigned int c = fe.system_to_component_index(i).first; c < dim)
                                   difference[c] += u[dofs[i]] * fe_values.shape_value(i, q);
                               squares[cell] += difference.norm_square() * fe_values.JxW(q);
                             }
                         });
  double sum = std::accumulate(squares.begin(), squares.end(), 0.);
  space.communicator().sum(&sum, 1);
  return std::sqrt(sum);
}
} // namespace elasticity
