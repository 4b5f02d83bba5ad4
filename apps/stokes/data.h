#pragma once

#include "parameters.h"

#include "base/array.h"
#include "discretization/meshes/mesh.h"

#include <deal.II/base/function.h>
#include <deal.II/base/geometry_info.h>
#include <deal.II/base/point.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <cmath>
#include <map>

/// The viscosity at points, and where meshes are refined, in host memory.
namespace stokes
{
using adamant::Array;

/// The values of a positive function at points: coordinate d of point i is points[d n + i]. InputError where it is not.
template <int dim>
Array<double> positive_values(const Function<dim> &viscosity, const Array<double> &points)
{
  const std::size_t n = points.size() / dim;
  Array<double>     values(n);
  const auto        position = [&](std::size_t i) {
    Point<dim> x;
    for (unsigned int d = 0; d < dim; ++d)
      x[d] = points[d * n + i];
    return x;
  };
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    values[i] = viscosity.value(position(i));
  for (std::size_t i = 0; i < n; ++i)
    require(std::isfinite(values[i]) && values[i] > 0., "Problem/Viscosity is ", values[i], " at (", position(i),
            "): it has to be positive");
  return values;
}

/// Refines the cells where the function's values at 3^dim points in them, and a tenth beside, vary by the ratio.
template <int dim>
void refine_for_viscosity(const Function<dim> &viscosity, double ratio, unsigned int times, Triangulation<dim> &mesh)
{
  const QTrapezoid<1>  ends;
  const QIterated<dim> points(ends, 2);
  for (unsigned int k = 0; k < times; ++k)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        {
          double least = viscosity.value(cell->center()), most = least;
          for (const auto &unit : points.get_points())
            {
              Point<dim> x;
              for (const unsigned int v : cell->vertex_indices())
                x += GeometryInfo<dim>::d_linear_shape_function(unit, v) * cell->vertex(v);
              const double value = viscosity.value(cell->center() + 1.1 * (x - cell->center()));
              least              = std::min(least, value);
              most               = std::max(most, value);
            }
          if (most > ratio * least)
            cell->set_refine_flag();
        }
      adamant::execute_refinement(mesh);
    }
}

/// Undoes the last, global refinement, refines the cells of the largest errors, and refines all again: `errors` are of
/// the finer mesh's cells.
template <int dim>
void refine_halved(Triangulation<dim> &mesh, const dealii::Vector<float> &errors, double fraction)
{
  std::map<CellId, float> of_parents; // squares
  for (const auto &cell : mesh.active_cell_iterators())
    {
      of_parents[cell->parent()->id()] += errors[cell->active_cell_index()] * errors[cell->active_cell_index()];
      cell->set_coarsen_flag();
    }
  mesh.execute_coarsening_and_refinement();
  dealii::Vector<float> of_cells(mesh.n_active_cells());
  for (const auto &cell : mesh.active_cell_iterators())
    of_cells[cell->active_cell_index()] = std::sqrt(of_parents.at(cell->id()));
  adamant::refine_and_coarsen(mesh, of_cells, fraction, 0.);
  adamant::refine_global(mesh, 1);
}

inline double max_norm(const Array<double> &values)
{
  double most = 0.;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  return most;
}
} // namespace stokes
