#include "stokes/cell_viscosity.h"

#include "base/exceptions.h"
#include "fem/meshes/mesh.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace adamant
{
CellViscosity CellViscosity::stage(double s) const
{
  CellViscosity result = *this;
  for (auto *array : {&result.of_cells, &result.at_points})
    for (double &value : *array)
      value *= std::pow(value / least, s - 1.);
  result.most = least * std::pow(most / least, s);
  return result;
}

template <int dim>
Array<double> cell_volumes(const LevelSpace<dim> &space)
{
  Array<double> volumes(space.n_cells());
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    volumes[cell] = space.active_cells()[cell]->measure();
  return volumes;
}

namespace
{
// Throws InputError on all ranks where a viscosity of one is no positive number.
template <int dim>
void require_positive(const Array<double> &of_cells, const LevelSpace<dim> &space)
{
  const auto bad =
    std::find_if(of_cells.begin(), of_cells.end(), [](double value) { return !(std::isfinite(value) && value > 0.); });
  std::ostringstream what;
  if (bad != of_cells.end())
    what << "Problem/Viscosity is " << *bad << " in the cell around ("
         << space.active_cells()[bad - of_cells.begin()]->center() << "): it has to be positive and finite";
  require_on_all(space.communicator(), what.str());
}
} // namespace

template <int dim>
CellViscosity cell_viscosity(const LevelSpace<dim> &space, const Array<double> &volumes, Array<double> of_cells,
                             Array<double> at_points, bool has_units)
{
  const Communicator ranks = space.communicator();
  require_positive(of_cells, space);
  CellViscosity eta;
  double        volume = 0., fluidity = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      volume += volumes[cell];
      fluidity += volumes[cell] / of_cells[cell];
    }
  double sums[] = {volume, fluidity};
  ranks.sum(sums, 2);
  eta.of_cells  = std::move(of_cells);
  eta.at_points = std::move(at_points);
  if (has_units)
    eta.scale = sums[0] / sums[1];
  for (auto *array : {&eta.of_cells, &eta.at_points})
    for (double &value : *array)
      value /= eta.scale;
  double extremes[] = {-std::numeric_limits<double>::max(), 0.}; // -least and most
  for (const double value : eta.at_points.empty() ? eta.of_cells : eta.at_points)
    {
      extremes[0] = std::max(extremes[0], -value);
      extremes[1] = std::max(extremes[1], value);
    }
  ranks.max(extremes, 2);
  eta.least = -extremes[0];
  eta.most  = extremes[1];
  require(eta.most <= 1e12 * eta.least, "Problem/Viscosity varies by ", eta.most / eta.least,
          "; more than 1e12 is beyond double precision");
  return eta;
}

template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells)
{
  const auto   &mesh = space.triangulation();
  Array<double> values(mesh.n_active_cells(), 1.);
  for (int c = 0; c < space.n_cells(); ++c)
    values[space.active_cells()[c]->active_cell_index()] = of_cells[c];
  if (is_distributed(mesh))
    dealii::GridTools::exchange_cell_data_to_ghosts<double, dealii::Triangulation<dim>>(
      mesh, [&](const auto &cell) { return values[cell->active_cell_index()]; },
      [&](const auto &cell, double value) { values[cell->active_cell_index()] = value; });
  double most = 1.;
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (!cell->at_boundary(face) && cell->neighbor(face)->is_active())
        {
          const double ratio = values[cell->active_cell_index()] / values[cell->neighbor(face)->active_cell_index()];
          most               = std::max({most, ratio, 1. / ratio});
        }
  space.communicator().max(&most, 1);
  return most;
}

template CellViscosity cell_viscosity(const LevelSpace<2> &, const Array<double> &, Array<double>, Array<double>, bool);
template Array<double> cell_volumes(const LevelSpace<2> &);
template CellViscosity cell_viscosity(const LevelSpace<3> &, const Array<double> &, Array<double>, Array<double>, bool);
template Array<double> cell_volumes(const LevelSpace<3> &);
template double        largest_jump(const LevelSpace<2> &, const Array<double> &);
template double        largest_jump(const LevelSpace<3> &, const Array<double> &);
} // namespace adamant
