#pragma once

#include "discretization/fields/gradient_postprocessor.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/fe/mapping.h>

#include <memory>

namespace adamant
{
/// Isotropic linearly elastic material: sigma = lambda tr(epsilon) I + 2 mu epsilon, lambda and mu the Lame parameters;
/// in two dimensions plane strain.
struct ElasticMaterial
{
  double lambda, mu, density;

  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    return lambda * trace(strain) * dealii::unit_symmetric_tensor<dim>() + 2. * mu * strain;
  }

  /// sqrt(3/2) |deviatoric stress|, with sigma_zz = lambda tr(epsilon) in plane strain.
  template <int dim>
  double von_mises(const dealii::SymmetricTensor<2, dim> &strain) const;
};

/// For DataOut: the components "stress_xx", "stress_xy", ... and "von_mises" of a displacement.
template <int dim>
std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterial &material);

struct Energies
{
  double strain, kinetic;
};

/// 1/2 ∫ sigma(u) : epsilon(u) and 1/2 ∫ rho |v|² of nodal values at the owned DoFs, host memory: u is in the first dim
/// components of the space, v in those from first_velocity on. All ranks call it together.
template <int dim>
Energies energies(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const ElasticMaterial &material, const double *u,
                  const double *v, unsigned int first_velocity = 0);
} // namespace adamant
