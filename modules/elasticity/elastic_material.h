#pragma once

#include "fem/functions/gradient_postprocessor.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/types.h>
#include <deal.II/fe/mapping.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Isotropic linearly elastic material: sigma = lambda tr(epsilon) I + 2 mu epsilon, with the Lame parameters lambda
/// and mu. Two dimensions mean plane strain.
struct ElasticMaterial
{
  double lambda, mu, density;

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

  /// Returns the von Mises stress sqrt(3/2) |deviatoric stress|. In plane strain sigma_zz is lambda tr(epsilon), but
  /// lambda does not change the result.
  template <int dim>
  double von_mises(const dealii::SymmetricTensor<2, dim> &strain) const;

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

/// Returns the names of a stress's components in files: xx, xy, yy; in three dimensions xx, xy, xz, yy, yz, zz.
template <int dim>
std::vector<std::string> stress_names();

/// Returns a postprocessor for DataOut: the components "stress_xx", "stress_xy", ... and "von_mises" of a displacement.
/// Where dilatations are projected, the points of DataOut's patches, degree + 1 in each direction, serve as points of a
/// Newton-Cotes rule.
template <int dim>
std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterials &materials);

/// Returns the matrix that evaluates stresses at points from a displacement: nodal values of the first dim components
/// of the space. Rows (n + 1) p to (n + 1) p + n - 1 give the n components stress_names() at point p, and the next row
/// sigma_zz. At the border of cells the stress is that of one cell. All else is as in evaluation_matrix (points.h).
template <int dim>
CSRMatrix<double> stress_matrix(const std::string &key, const LevelSpace<dim> &space,
                                const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
                                const std::vector<dealii::Point<dim>> &points);

struct Energies
{
  double strain, kinetic;
};

/// Returns the energies `1/2 ∫ sigma(u) : epsilon(u)` and `1/2 ∫ rho |v|²` for nodal values at the owned DoFs, in host
/// memory. The first dim components of the space hold u, dim components from first_velocity on hold v. All ranks call
/// it together.
template <int dim>
Energies energies(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const ElasticMaterials &materials, const double *u,
                  const double *v, unsigned int first_velocity = 0);
} // namespace adamant
