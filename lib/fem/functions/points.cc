#include "fem/functions/points.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "base/row_ranges.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

namespace adamant
{
template <int dim>
Array<double> support_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs)
{
  // A DoF on several cells is written by one of them only: the first in the order of cells.
  const int   per_cell = space.dofs_per_cell();
  const auto  places   = first_places(space.cell_dofs(0), space.n_cells() * per_cell, space.n_dofs());
  Array<int>  position(space.n_dofs(), -1);
  Array<char> owns(space.n_cells(), 0);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      position[dofs[k]]                = static_cast<int>(k);
      owns[places[dofs[k]] / per_cell] = 1;
    }
  Array<int> owners;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    if (owns[cell] != 0)
      owners.push_back(cell);

  const std::size_t n = dofs.size();
  Array<double>     points(dim * n);
  for_each_cell(space, owners, mapping, dealii::Quadrature<dim>(space.element().get_unit_support_points()),
                dealii::update_quadrature_points, [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (int i = 0; i < per_cell; ++i)
                    if (const int dof = space.cell_dofs(cell)[i], k = position[dof];
                        k >= 0 && places[dof] == cell * per_cell + i)
                      for (int d = 0; d < dim; ++d)
                        points[d * n + k] = fe_values.quadrature_point(i)[d];
                });
  return points;
}

template <int dim>
Array<double> quadrature_points(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim> &quadrature)
{
  const std::size_t n_q = quadrature.size(), n = n_q * space.n_cells();
  Array<double>     points(dim * n);
  for_each_cell(space, mapping, quadrature, dealii::update_quadrature_points,
                [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  for (std::size_t q = 0; q < n_q; ++q)
                    for (int d = 0; d < dim; ++d)
                      points[d * n + cell * n_q + q] = fe_values.quadrature_point(static_cast<unsigned int>(q))[d];
                });
  return points;
}

template <int dim>
Array<unsigned int> components(const LevelSpace<dim> &space)
{
  Array<unsigned int> component(space.n_dofs(), 0);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      write_atomically(component[space.cell_dofs(cell)[i]], space.element().system_to_component_index(i).first);
  return component;
}

template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, const Array<int> &dofs, unsigned int first)
{
  const auto    points    = support_points(space, mapping, dofs);
  const auto    component = components(space);
  Array<double> values(dofs.size());
  parallel_for(dofs.size(), [&](std::size_t k) {
    dealii::Point<dim> point;
    for (int d = 0; d < dim; ++d)
      point[d] = points[d * dofs.size() + k];
    const unsigned int c = component[dofs[k]];
    values[k]            = c >= first && c < first + function.n_components ? function.value(point, c - first) : 0.;
  });
  return values;
}

template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const auto                 points    = support_points(space, mapping);
  const auto                 component = components(space);
  const int                  n         = space.n_owned();
  std::vector<Array<double>> modes;
  for (unsigned int d = 0; d < dim; ++d)
    {
      auto &mode = modes.emplace_back();
      for (int i = 0; i < n; ++i)
        mode.push_back(component[i] == d ? 1. : 0.);
    }
  for (unsigned int d = 0; d < (dim == 3 ? 3 : 1); ++d) // from axis d to the next one
    {
      auto         &mode = modes.emplace_back();
      const double *x = points.data() + std::size_t(d) * n, *y = points.data() + std::size_t((d + 1) % dim) * n;
      for (int i = 0; i < n; ++i)
        mode.push_back(component[i] == d ? -y[i] : component[i] == (d + 1) % dim ? x[i] : 0.);
    }
  return modes;
}

namespace
{
template <int dim>
using CellAndPoint = std::pair<typename LevelSpace<dim>::Cell, dealii::Point<dim>>;

// Of each point the first rank that has found it, or the number of ranks.
template <int dim>
std::vector<int> first_ranks(const LevelSpace<dim> &space, const std::vector<CellAndPoint<dim>> &found)
{
  const Communicator ranks = space.communicator();
  std::vector<int>   first;
  for (const auto &[cell, unit_point] : found)
    first.push_back(cell == space.triangulation().end() ? ranks.size() : ranks.rank());
  if (ranks.size() > 1)
    check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, first.data(), static_cast<int>(first.size()), MPI_INT, MPI_MIN, ranks.handle()),
      "MPI_Allreduce");
  return first;
}

// Returns for each point an owned cell that contains it and its place there; end() where another rank has the cell. One
// pass over the cells tests the points in the bounding box of each cell's vertices. A point that no rank finds by this
// goes to deal.II's search, which walks over all vertices and knows curved cells.
template <int dim>
std::vector<CellAndPoint<dim>> cells_of_points(const std::string &key, const LevelSpace<dim> &space,
                                               const dealii::Mapping<dim>            &mapping,
                                               const std::vector<dealii::Point<dim>> &points)
{
  const auto                    &mesh = space.triangulation();
  std::vector<CellAndPoint<dim>> found(points.size(), {mesh.end(), {}});
  std::vector<std::size_t>       order(points.size()); // by the first coordinate
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a][0] < points[b][0]; });
  for (const auto &cell : space.active_cells())
    {
      const auto [low, high] = cell->bounding_box().get_boundary_points();
      const double slack     = 1e-10 * low.distance(high);
      auto         first     = std::lower_bound(order.begin(), order.end(), low[0] - slack,
                                                [&](std::size_t p, double left) { return points[p][0] < left; });
      for (; first != order.end() && points[*first][0] <= high[0] + slack; ++first)
        {
          const auto &point  = points[*first];
          bool        inside = found[*first].first == mesh.end();
          for (int d = 1; d < dim && inside; ++d)
            inside = low[d] - slack <= point[d] && point[d] <= high[d] + slack;
          if (!inside)
            continue;
          try
            {
              const auto unit_point = mapping.transform_real_to_unit_cell(cell, point);
              if (dealii::GeometryInfo<dim>::is_inside_unit_cell(unit_point, 1e-8))
                found[*first] = {cell, unit_point};
            }
          catch (const typename dealii::Mapping<dim>::ExcTransformationFailed &) // far outside a distorted cell
            {}
        }
    }
  const Communicator ranks = space.communicator();
  auto               rank  = first_ranks(space, found);
  for (std::size_t p = 0; p < points.size(); ++p)
    if (rank[p] == ranks.size())
      if (const auto [cell, unit_point] = dealii::GridTools::find_active_cell_around_point(mapping, mesh, points[p]);
          cell != mesh.end() && cell->is_locally_owned())
        found[p] = {cell, unit_point};
  rank = first_ranks(space, found);
  for (std::size_t p = 0; p < points.size(); ++p)
    {
      if (rank[p] == ranks.size())
        {
          std::ostringstream text;
          text << key << ": the point (" << points[p] << ") lies outside the mesh";
          throw InputError(text.str());
        }
      if (rank[p] < ranks.rank())
        found[p].first = mesh.end();
    }
  return found;
}
} // namespace

template <int dim>
CSRMatrix<double> point_matrix(const std::string &key, const LevelSpace<dim> &space,
                               const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                               unsigned int n_values, dealii::UpdateFlags flags, const Shares<dim> &shares)
{
  const auto      &fe    = space.element();
  const auto       cells = cells_of_points(key, space, mapping, points);
  std::vector<Row> rows(points.size() * n_values);
  for (std::size_t p = 0; p < points.size(); ++p)
    {
      const auto &[cell, unit_point] = cells[p];
      if (cell == space.triangulation().end())
        continue;
      dealii::FEValues<dim> values(mapping, fe, dealii::Quadrature<dim>(unit_point), flags);
      values.reinit(cell);
      const int *dofs = space.cell_dofs(space.cell_number(cell));
      for (const unsigned int i : values.dof_indices())
        {
          std::vector<double> share(n_values, 0.);
          shares(values, i, share);
          for (unsigned int k = 0; k < n_values; ++k)
            if (share[k] != 0.)
              rows[p * n_values + k].emplace_back(dofs[i], share[k]);
        }
    }
  auto N   = matrix_of_rows(static_cast<int>(rows.size()), space.n_dofs(), [&rows](int i, Row &row) {
    row = rows[i];
    std::sort(row.begin(), row.end());
  });
  N.ghosts = exchange_plan(space.partition());
  return N;
}

template <int dim>
CSRMatrix<double> evaluation_matrix(const std::string &key, const LevelSpace<dim> &space,
                                    const dealii::Mapping<dim> &mapping, const std::vector<dealii::Point<dim>> &points,
                                    unsigned int n_components)
{
  return point_matrix<dim>(key, space, mapping, points, n_components, dealii::update_values,
                           [&](const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &shares) {
                             const unsigned int c = values.get_fe().system_to_component_index(i).first;
                             if (c < n_components)
                               shares[c] = values.shape_value(i, 0);
                           });
}

template decltype(quadrature_points<2>) quadrature_points<2>;
template decltype(quadrature_points<3>) quadrature_points<3>;
template decltype(components<2>)        components<2>;
template decltype(components<3>)        components<3>;
template decltype(rigid_body_modes<2>)  rigid_body_modes<2>;
template decltype(rigid_body_modes<3>)  rigid_body_modes<3>;
template decltype(point_matrix<2>)      point_matrix<2>;
template decltype(point_matrix<3>)      point_matrix<3>;
template decltype(evaluation_matrix<2>) evaluation_matrix<2>;
template decltype(evaluation_matrix<3>) evaluation_matrix<3>;
template Array<double> support_points(const LevelSpace<2> &, const dealii::Mapping<2> &, const Array<int> &);
template Array<double> support_points(const LevelSpace<3> &, const dealii::Mapping<3> &, const Array<int> &);
template Array<double> nodal_values(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Function<2> &,
                                    const Array<int> &, unsigned int);
template Array<double> nodal_values(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Function<3> &,
                                    const Array<int> &, unsigned int);
} // namespace adamant
