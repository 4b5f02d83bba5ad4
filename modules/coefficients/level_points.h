#pragma once

#include "base/array.h"
#include "coefficients/coefficient.h"
#include "coefficients/values_at_points.h"
#include "fem/spaces/field.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <set>
#include <vector>

namespace adamant
{
/// The quadrature points of all levels of a field, one level after the other, in host memory.
template <int dim>
struct LevelPoints
{
  LevelPoints(const Field<dim> &field, const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature);

  std::size_t   size() const { return material.size(); }
  Array<double> points_of(std::size_t level) const; ///< as `points`, of one level

  std::vector<int>    first;    ///< number of the first point of each level, and the end
  Array<double>       points;   ///< coordinate d of point i: [d size() + i]
  Array<unsigned int> material; ///< id of the material at each point
};

/// Returns the ids of the materials of the rank's cells.
template <int dim>
std::set<unsigned int> materials_of(const LevelSpace<dim> &space);

/// Returns the id of the material at each of the n_q quadrature points of the rank's cells, in the order of
/// `quadrature_points` (fem/functions/points.h).
template <int dim>
Array<unsigned int> materials_at_points(const LevelSpace<dim> &space, std::size_t n_q);

/// Returns a coefficient at the owned nodes of a scalar space, as function_at_points does. With a list by material, it
/// has at node i the mean over the cells around the node, `Σ_m f_m(x_i) ∫_m φ_i / ∫ φ_i`, where m runs over the
/// materials. Nodes that hang then have the value 0. All ranks call it together.
template <int dim>
PointFunction function_at_nodes(const Device &device, const Coefficient &coefficient, unsigned int n_components,
                                const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping);

/// Returns the values of a coefficient with one component, in host memory, at the quadrature points of all cells. The
/// points are in the order of `quadrature_points` (fem/functions/points.h). Throws InputError on all ranks where
/// materials do not fit (check_materials), or where a value is not positive and finite, with its place. All ranks call
/// it together.
template <int dim>
Array<double> positive_values(const Coefficient &coefficient, const LevelSpace<dim> &space,
                              const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature);
} // namespace adamant
