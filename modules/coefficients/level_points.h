#pragma once

#include "base/array.h"
#include "coefficients/coefficient.h"
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

/// Returns the values of a coefficient with one component, in host memory, at the quadrature points of all cells. The
/// points are in the order of `quadrature_points` (fem/functions/points.h). Throws InputError on all ranks where
/// materials do not fit (check_materials), or where a value is not positive and finite, with its place. All ranks call
/// it together.
template <int dim>
Array<double> positive_values(const Coefficient &coefficient, const LevelSpace<dim> &space,
                              const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature);
} // namespace adamant
