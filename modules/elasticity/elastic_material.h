#pragma once

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/types.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace adamant
{
/// Isotropic linearly elastic material: sigma = lambda tr(epsilon) I + 2 mu epsilon, with the Lame parameters lambda
/// and mu. Two dimensions mean plane strain, or plane stress with the factor lambda of in_plane_stress().
struct ElasticMaterial
{
  double lambda, mu, density;
  bool   plane_stress = false;

  /// Returns the material of a thin plate, whose stress sigma_zz is zero.
  ElasticMaterial in_plane_stress() const { return {2. * lambda * mu / (lambda + 2. * mu), mu, density, true}; }

  double stress_zz(double dilatation) const { return plane_stress ? 0. : lambda * dilatation; } ///< in two dimensions

  /// Returns the stress; `dilatation` is tr(epsilon) or its projection.
  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain, double dilatation) const
  {
    return lambda * dilatation * dealii::unit_symmetric_tensor<dim>() + 2. * mu * strain;
  }

  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    return stress(strain, trace(strain));
  }

  /// Returns the von Mises stress sqrt(3/2) |deviatoric stress|. In plane strain lambda does not change it.
  template <int dim>
  double von_mises(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    const auto   sigma    = stress(strain);
    const double sigma_zz = dim == 2 ? stress_zz(trace(strain)) : 0.;
    const double mean     = (trace(sigma) + sigma_zz) / 3.;
    const auto   deviator = sigma - mean * dealii::unit_symmetric_tensor<dim>();
    const double square   = deviator * deviator + (dim == 2 ? (sigma_zz - mean) * (sigma_zz - mean) : 0.);
    return std::sqrt(1.5 * square);
  }

  double wave_speed_squared() const { return (lambda + 2. * mu) / density; } ///< of pressure waves
};

/// The materials of all cells, by material id.
struct ElasticMaterials
{
  ElasticMaterial                                       elsewhere; ///< material of cells whose id is not listed
  std::map<dealii::types::material_id, ElasticMaterial> by_id = {};
  /// Whether tr(epsilon) is projected to polynomials of lower degree on each cell, see DilatationSpace.
  bool b_bar = false;

  const ElasticMaterial &operator()(dealii::types::material_id id) const
  {
    const auto found = by_id.find(id);
    return found == by_id.end() ? elsewhere : found->second;
  }

  /// Returns the largest value of f(material) of all materials.
  template <typename F>
  double largest(const F &f) const
  {
    double value = f(elsewhere);
    for (const auto &entry : by_id)
      value = std::max<double>(value, f(entry.second));
    return value;
  }
};
} // namespace adamant
