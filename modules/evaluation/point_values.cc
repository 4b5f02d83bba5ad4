#include "evaluation/point_values.h"

#include "algebra/functors.h"
#include "base/communicator.h"
#include "base/exceptions.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

namespace adamant
{
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

template <int dim>
std::vector<dealii::Point<dim>> points_of(const std::vector<std::vector<double>> &coordinates)
{
  std::vector<dealii::Point<dim>> points(coordinates.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    std::copy_n(coordinates[p].begin(), dim, &points[p][0]);
  return points;
}

template <int dim>
PointEvaluation::PointEvaluation(const Device &device, const std::string &key, const Field<dim> &field,
                                 const dealii::Mapping<dim> &mapping, const std::vector<std::vector<double>> &points,
                                 unsigned int n_components)
  : PointEvaluation(device, evaluation_matrix(key, field.finest(), mapping, points_of<dim>(points), n_components))
{}

void PointEvaluation::evaluate(const Vector<double> &u, int place) const
{
  device.for_each_row(N, u, Product<double>(1., 0., own.on_host() + place * N.n_rows()));
}

std::vector<double> PointEvaluation::values(int place) const
{
  const double       *first = own.on_host() + place * N.n_rows();
  std::vector<double> values(first, first + N.n_rows());
  device.communicator().sum(values.data(), static_cast<int>(values.size()));
  return values;
}

template <int dim>
HostPointEvaluation::HostPointEvaluation(const std::string &key, const LevelSpace<dim> &space,
                                         const dealii::Mapping<dim>            &mapping,
                                         const std::vector<dealii::Point<dim>> &points)
  : ranks(space.communicator())
{
  if (!points.empty())
    matrix = evaluation_matrix(key, space, mapping, points, 1);
}

// One rank knows the value at a point, the others have zero.
std::vector<double> HostPointEvaluation::operator()(const Array<double> &nodal) const
{
  if (empty())
    return {};
  const auto          own = product(matrix, nodal);
  std::vector<double> values(own.begin(), own.end());
  ranks.sum(values.data(), static_cast<int>(values.size()));
  return values;
}

#define INSTANTIATE(dim)                                                                                            \
  template decltype(points_of<dim>)         points_of<dim>;                                                         \
  template decltype(point_matrix<dim>)      point_matrix<dim>;                                                      \
  template decltype(evaluation_matrix<dim>) evaluation_matrix<dim>;                                                 \
  template HostPointEvaluation::HostPointEvaluation(const std::string &, const LevelSpace<dim> &,                   \
                                                    const dealii::Mapping<dim> &,                                   \
                                                    const std::vector<dealii::Point<dim>> &);                       \
  template PointEvaluation::PointEvaluation(const Device &, const std::string &, const Field<dim> &,                \
                                            const dealii::Mapping<dim> &, const std::vector<std::vector<double>> &, \
                                            unsigned int);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
