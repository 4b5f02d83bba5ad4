#pragma once

#include "cases.h"

#include "base/array.h"
#include "coefficients/coarser_values.h"
#include "fem/meshes/flag_cells.h"
#include "fem/meshes/mesh.h"
#include "stokes/stokes_matrices.h"

#include <deal.II/base/function.h>
#include <deal.II/base/geometry_info.h>
#include <deal.II/base/point.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/tria.h>

#include <algorithm>

/// Functions for the viscosity at points and the refinement of meshes, in host memory.
namespace stokes
{
using adamant::Array;

/// Returns the viscosity at the n_q points of each cell of a space: coordinate d of point i is points[d n + i].
template <int dim>
Array<double> viscosity_at(const adamant::LevelSpace<dim> &space, std::size_t n_q, const Array<double> &points,
                           const ViscosityFunction<dim> &viscosity)
{
  const std::size_t n = points.size() / dim;
  Array<double>     values(n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    {
      Point<dim> x;
      for (unsigned int d = 0; d < dim; ++d)
        x[d] = points[d * n + i];
      values[i] = viscosity(x, adamant::material_id(space.active_cells()[i / n_q]));
    }
  return values;
}

/// Refines the cells where the viscosity varies by the ratio, among 3^dim points that reach a tenth beyond the cell.
/// The materials of neighbours count at the centres of common faces.
template <int dim>
void refine_for_viscosity(const ViscosityFunction<dim> &viscosity, double ratio, unsigned int times,
                          Triangulation<dim> &mesh)
{
  const QIterated<dim> points(QTrapezoid<1>(), 2);
  for (unsigned int k = 0; k < times; ++k)
    {
      for (const auto &cell : adamant::owned_cells(mesh))
        {
          const auto material = cell->material_id();
          double     least = viscosity(cell->center(), material), most = least;
          const auto add = [&](const Point<dim> &x, unsigned int in) {
            const double value = viscosity(x, in);
            least              = std::min(least, value);
            most               = std::max(most, value);
          };
          for (const unsigned int face : cell->face_indices())
            if (!cell->at_boundary(face))
              add(cell->face(face)->center(), adamant::material_id(cell->neighbor(face)));
          for (const auto &unit : points.get_points())
            {
              Point<dim> x;
              for (const unsigned int v : cell->vertex_indices())
                x += GeometryInfo<dim>::d_linear_shape_function(unit, v) * cell->vertex(v);
              add(cell->center() + 1.1 * (x - cell->center()), material);
            }
          if (most > ratio * least)
            cell->set_refine_flag();
        }
      adamant::execute_refinement(mesh);
    }
}

/// Flags the families of the cells of largest errors to be refined. `errors` belong to the cells of a space on the
/// mesh, or on the mesh with its last, global refinement undone.
template <int dim>
void flag_families(Triangulation<dim> &mesh, const adamant::StokesMatrices<dim> &matrices,
                   const dealii::Vector<float> &errors, double fraction)
{
  Array<double> of_cells;
  for (const auto &cell : matrices.space().active_cells())
    of_cells.push_back(errors[cell->active_cell_index()]);
  if (&matrices.space().triangulation() != &mesh)
    of_cells = product(adamant::values_of_parents(matrices.meshes.finest()), of_cells);
  dealii::Vector<float> of_mesh(mesh.n_active_cells());
  int                   k = 0;
  for (const auto &cell : adamant::owned_cells(mesh))
    of_mesh[cell->active_cell_index()] = static_cast<float>(of_cells[k++]);
  adamant::sum_over_families(mesh, of_mesh);
  adamant::flag_cells(mesh, of_mesh, fraction, 0.);
  adamant::flag_families(mesh);
}
} // namespace stokes
