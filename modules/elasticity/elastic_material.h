#pragma once

#include "coefficients/coefficient.h"
#include "fem/forms/cell_context.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/types.h>
#include <deal.II/fe/mapping.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Isotropic linearly elastic material: sigma = lambda tr(epsilon) I + 2 mu epsilon - (3 lambda + 2 mu) e I, with the
/// Lame parameters lambda and mu and the thermal strain e. Two dimensions mean plane strain, or plane stress with the
/// factor lambda of in_plane_stress().
struct ElasticMaterial
{
  double lambda, mu, density;
  double thermal_strain = 0.; ///< expansion times the change of the temperature
  bool   plane_stress   = false;

  /// Returns the material of a thin plate, whose stress sigma_zz is zero.
  ElasticMaterial in_plane_stress() const
  {
    return {2. * lambda * mu / (lambda + 2. * mu), mu, density, thermal_strain, true};
  }

  /// Returns the pressure in a body that is heated and cannot expand.
  double thermal_stress() const { return (plane_stress ? 2. * (lambda + mu) : 3. * lambda + 2. * mu) * thermal_strain; }

  /// Returns the stress across the plane in two dimensions; `strain` is the one across it.
  double stress_zz(double dilatation, double strain = 0.) const
  {
    return plane_stress ? 0. : lambda * dilatation + 2. * mu * strain - thermal_stress();
  }

  /// Returns the stress; `dilatation` is tr(epsilon) or its projection.
  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain, double dilatation) const
  {
    return (lambda * dilatation - thermal_stress()) * dealii::unit_symmetric_tensor<dim>() + 2. * mu * strain;
  }

  template <int dim>
  dealii::SymmetricTensor<2, dim> stress(const dealii::SymmetricTensor<2, dim> &strain) const
  {
    return stress(strain, trace(strain));
  }

  /// Returns the elastic energy by volume; `strain_zz` is the strain across a plane.
  template <int dim>
  double energy(const dealii::SymmetricTensor<2, dim> &strain, double dilatation, double strain_zz = 0.) const
  {
    const auto   elastic = strain - thermal_strain * dealii::unit_symmetric_tensor<dim>();
    const double volume  = dilatation - (plane_stress ? 2. : 3.) * thermal_strain,
                 across  = dim == 3 || plane_stress ? 0. : strain_zz - thermal_strain;
    return 0.5 * lambda * volume * volume + mu * (elastic * elastic + across * across);
  }

  double wave_speed_squared() const { return (lambda + 2. * mu) / density; } ///< of pressure waves
};

/// Returns the von Mises stress sqrt(3/2) |deviatoric stress|; sigma_zz counts in two dimensions.
template <int dim>
double von_mises(const dealii::SymmetricTensor<2, dim> &sigma, double sigma_zz)
{
  const double mean     = (trace(sigma) + (dim == 2 ? sigma_zz : 0.)) / 3.;
  const auto   deviator = sigma - mean * dealii::unit_symmetric_tensor<dim>();
  return std::sqrt(1.5 * (deviator * deviator + (dim == 2 ? (sigma_zz - mean) * (sigma_zz - mean) : 0.)));
}

/// What the third direction of a two-dimensional problem does: a thick or a thin body, or one with axial symmetry,
/// where x is the radius and y the axis.
enum class Plane
{
  strain,
  stress,
  axial
};

/// The coefficients of a material as functions: Young's modulus, Poisson's ratio, density, expansion and the change of
/// the temperature.
struct ElasticCoefficients
{
  CoefficientFunction young, poisson, density, expansion, temperature;

  ElasticMaterial at(dealii::types::material_id id, const dealii::Point<3> &x, Plane plane) const;
};

/// Returns the mean of each coefficient.
ElasticMaterial mean_of(const std::vector<ElasticMaterial> &materials);

/// The materials of all cells, by material id and, where `of_place` is given, by place.
struct ElasticMaterials
{
  ElasticMaterial                                       elsewhere; ///< material of cells whose id is not listed
  std::map<dealii::types::material_id, ElasticMaterial> by_id = {};
  /// Whether tr(epsilon) is projected to polynomials of lower degree on each cell, see DilatationSpace.
  bool                                       b_bar    = false;
  Plane                                      plane    = Plane::strain;
  bool                                       means    = false;   ///< whether matrices have each cell's mean, see on()
  std::shared_ptr<const ElasticCoefficients> of_place = nullptr; ///< takes the place of the materials above

  bool is_constant() const { return of_place == nullptr; } ///< in each material
  bool axial() const { return plane == Plane::axial; }

  /// Returns the material of an id where it does not depend on the place.
  const ElasticMaterial &in(dealii::types::material_id id) const
  {
    const auto found = by_id.find(id);
    return found == by_id.end() ? elsewhere : found->second;
  }

  template <int dim>
  ElasticMaterial at(dealii::types::material_id id, const dealii::Point<dim> &x) const
  {
    return is_constant() ? in(id) : of_place->at(id, {x[0], x[1], dim == 3 ? x[dim - 1] : 0.}, plane);
  }

  /// Returns the material of a cell, or one for each quadrature point where it depends on the place. With `means` it is
  /// the mean of these.
  template <int dim>
  std::vector<ElasticMaterial> on(const CellContext<dim> &cell) const
  {
    if (is_constant())
      return {in(cell.material_id())};
    std::vector<ElasticMaterial> at_points;
    for (const unsigned int q : cell.quadrature_point_indices())
      at_points.push_back(at(cell.material_id(), cell.quadrature_point(q)));
    if (means)
      return {mean_of(at_points)};
    return at_points;
  }

  /// Returns the factor of dx dy in integrals over a body: 2 pi r with axial symmetry.
  template <int dim>
  double measure(const dealii::Point<dim> &x) const
  {
    return axial() ? 2. * dealii::numbers::PI * x[0] : 1.;
  }
};

/// What is extreme among all materials of a mesh.
struct MaterialExtremes
{
  double wave_speed_squared = 0., lambda_over_mu = 0.;
};

/// Returns the extremes. Where materials depend on the place, their values at the quadrature points of all cells count,
/// and InputError is thrown for values that no material has. All ranks call it together.
template <int dim>
MaterialExtremes extremes(const ElasticMaterials &materials, const LevelSpace<dim> &space,
                          const dealii::Mapping<dim> &mapping, bool with_density);

/// Returns why there is no material with Young's modulus E, Poisson's ratio nu and, where `with_density` is set, this
/// density; empty: there is one. Texts begin with the parameter's name and value.
std::string fault_of_material(double young, double poisson, double density, bool with_density);
} // namespace adamant
