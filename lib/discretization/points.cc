#include "discretization/points.h"

#include "base/exceptions.h"
#include "discretization/cell_loop.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

namespace adamant
{
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs)
{
  // A DoF on several cells is written by one of them only: the first in the order of cells.
  Array<int> position(space.n_dofs(), -1), owner(dofs.size(), -1);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    position[dofs[k]] = static_cast<int>(k);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      if (const int k = position[space.cell_dofs(cell)[i]]; k >= 0 && owner[k] < 0)
        owner[k] = cell;

  const std::size_t n = dofs.size();
  Array<double>     points(dim * n);
  for_each_cell(space,
                mapping,
                dealii::Quadrature<dim>(space.dof_handler().get_fe().get_unit_support_points()),
                dealii::update_quadrature_points,
                [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (int i = 0; i < space.dofs_per_cell(); ++i)
                    if (const int k = position[space.cell_dofs(cell)[i]]; k >= 0 && owner[k] == cell)
                      for (int d = 0; d < dim; ++d)
                        points[d * n + k] = fe_values.quadrature_point(i)[d];
                });
  return points;
}

template <int dim>
Array<double>
quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
{
  const std::size_t n_q = quadrature.size(), n = n_q * space.n_cells();
  Array<double>     points(dim * n);
  for_each_cell(space, mapping, quadrature, dealii::update_quadrature_points, [&](int cell, const dealii::FEValues<dim> &fe_values) {
    for (std::size_t q = 0; q < n_q; ++q)
      for (int d = 0; d < dim; ++d)
        points[d * n + cell * n_q + q] = fe_values.quadrature_point(static_cast<unsigned int>(q))[d];
  });
  return points;
}

template <int dim>
CSRMatrix<double> evaluation_matrix(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                    const std::vector<dealii::Point<dim>> &points, unsigned int n_components)
{
  const auto       &fe = space.dof_handler().get_fe();
  CSRMatrix<double> N;
  N.n_rows = static_cast<int>(points.size() * n_components);
  N.n_cols = space.n_dofs();
  N.row_start.assign(N.n_rows + 1, 0);
  std::vector<std::vector<std::pair<int, double>>> rows(N.n_rows);
  for (std::size_t p = 0; p < points.size(); ++p)
    {
      const auto [cell, unit_point] = dealii::GridTools::find_active_cell_around_point(mapping, space.dof_handler(), points[p]);
      if (cell == space.dof_handler().end())
        {
          std::ostringstream text;
          text << "the point (" << points[p] << ") lies outside the mesh";
          throw InputError(text.str());
        }
      const int *dofs = space.cell_dofs(cell->active_cell_index());
      for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
        if (const unsigned int c = fe.system_to_component_index(i).first; c < n_components)
          rows[p * n_components + c].emplace_back(dofs[i], fe.shape_value(i, unit_point));
    }
  for (int i = 0; i < N.n_rows; ++i)
    {
      std::sort(rows[i].begin(), rows[i].end());
      N.row_start[i + 1] = static_cast<int>(rows[i].size());
    }
  finish_row_starts(N);
  for (int i = 0; i < N.n_rows; ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      std::tie(N.column[N.row_start[i] + k], N.value[N.row_start[i] + k]) = rows[i][k];
  return N;
}

template CSRMatrix<double> evaluation_matrix(const LevelSpace<2> &, const dealii::Mapping<2> &,
                                             const std::vector<dealii::Point<2>> &, unsigned int);
template CSRMatrix<double> evaluation_matrix(const LevelSpace<3> &, const dealii::Mapping<3> &,
                                             const std::vector<dealii::Point<3>> &, unsigned int);
template Array<double> support_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const Array<int> &);
template Array<double> support_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const Array<int> &);
template Array<double> quadrature_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Quadrature<2> &);
template Array<double> quadrature_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Quadrature<3> &);
} // namespace adamant
