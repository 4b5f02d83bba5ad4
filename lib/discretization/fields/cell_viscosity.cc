#include "discretization/fields/cell_viscosity.h"

#include "base/require.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace adamant
{
CellViscosity CellViscosity::stage(double s) const
{
  CellViscosity result = *this;
  for (double &value : result.of_cells)
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

template <int dim>
CellViscosity cell_viscosity(const LevelSpace<dim> &space, const Array<double> &volumes, Array<double> of_cells,
                             Array<double> at_points, bool has_units)
{
  CellViscosity eta;
  double        volume = 0., fluidity = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      require(std::isfinite(of_cells[cell]) && of_cells[cell] > 0., "Problem/Viscosity is ", of_cells[cell], " at (",
              space.active_cells()[cell]->center(), "): it has to be positive");
      volume += volumes[cell];
      fluidity += volumes[cell] / of_cells[cell];
    }
  eta.of_cells  = std::move(of_cells);
  eta.at_points = std::move(at_points);
  if (has_units)
    eta.scale = volume / fluidity;
  for (auto *array : {&eta.of_cells, &eta.at_points})
    for (double &value : *array)
      value /= eta.scale;
  const auto &all = eta.at_points.empty() ? eta.of_cells : eta.at_points;
  eta.least       = *std::min_element(all.begin(), all.end());
  eta.most        = *std::max_element(all.begin(), all.end());
  require(eta.most <= 1e12 * eta.least, "Problem/Viscosity varies by ", eta.most / eta.least,
          "; more than 1e12 is beyond double precision");
  return eta;
}

template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells)
{
  double most = 1.;
  for (int c = 0; c < space.n_cells(); ++c)
    {
      const auto &cell = space.active_cells()[c];
      for (const unsigned int face : cell->face_indices())
        if (!cell->at_boundary(face) && cell->neighbor(face)->is_active())
          most = std::max(most, of_cells[c] / of_cells[space.cell_number(cell->neighbor(face))]);
    }
  return most; // of both orders of two cells on one level, and of a finer one with a coarser one
}

template CellViscosity cell_viscosity(const LevelSpace<2> &, const Array<double> &, Array<double>, Array<double>, bool);
template Array<double> cell_volumes(const LevelSpace<2> &);
template CellViscosity cell_viscosity(const LevelSpace<3> &, const Array<double> &, Array<double>, Array<double>, bool);
template Array<double> cell_volumes(const LevelSpace<3> &);
template double        largest_jump(const LevelSpace<2> &, const Array<double> &);
template double        largest_jump(const LevelSpace<3> &, const Array<double> &);
} // namespace adamant
