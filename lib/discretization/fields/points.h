#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace adamant
{
/// Positions by coordinates: coordinate d of point i is points[d * n + i]. Host memory.

/// The support points of the given DoFs, n of them.
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs);

/// Those of all DoFs that the rank owns.
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  Array<int> all(space.n_owned());
  std::iota(all.begin(), all.end(), 0);
  return support_points(space, mapping, all);
}

/// The quadrature points of all cells: point q of cell c is number c * n_q + q, as in Columns::quadrature_points.
template <int dim>
Array<double> quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim> &quadrature);

/// Puts into s what DoF i of a cell adds to numbers at a point (point_matrix).
template <int dim>
using Shares = std::function<void(const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &s)>;

/// The matrix that gives n_values numbers at each point from nodal values, such as stresses: row p n_values + k is
/// number k at point p. For each DoF i of the cell with the point, shares(values, i, s) puts into s[k] what that DoF adds
/// to number k; s comes zeroed, and `values` has the flags' data of the cell at the point. Each rank has a row for every point, empty but on one rank
/// that has a cell with the point: sums over ranks are the values. At the border of cells one of them counts. Throws
/// InputError, naming the parameter `key` and the point, where it lies in no cell.
template <int dim>
CSRMatrix<double> point_matrix(const std::string &key, const LevelSpace<dim> &space,
                               const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                               unsigned int n_values, dealii::UpdateFlags flags, const Shares<dim> &shares);

/// That which evaluates the function itself: row p n_components + c gives component c at
/// point p.
template <int dim>
CSRMatrix<double> evaluation_matrix(const std::string &key, const LevelSpace<dim> &space,
                                    const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                                    unsigned int n_components);
} // namespace adamant
