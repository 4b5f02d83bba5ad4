#pragma once

#include "parameters.h"

#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "discretization/fields/nodal_values.h"

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

/// What the equation needs of the case: boundary conditions and the viscosity of cells, in host memory.
namespace stokes
{
using adamant::Array;

/// The axis that all faces of a boundary with free slip are normal to. InputError where there is none.
template <int dim>
unsigned int normal_axis(const Triangulation<dim> &mesh, types::boundary_id id)
{
  unsigned int axis = numbers::invalid_unsigned_int;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int face : cell->face_indices())
      if (cell->at_boundary(face) && cell->face(face)->boundary_id() == id)
        for (unsigned int d = 0; d < dim; ++d)
          {
            double least = cell->face(face)->vertex(0)[d], most = least;
            for (const unsigned int v : cell->face(face)->vertex_indices())
              {
                least = std::min(least, cell->face(face)->vertex(v)[d]);
                most  = std::max(most, cell->face(face)->vertex(v)[d]);
              }
            if (most - least < 1e-10 * cell->diameter())
              {
                require(axis == numbers::invalid_unsigned_int || axis == d, "Problem/Boundaries: boundary ", id,
                        " has free slip and sides normal to ", "xyz"[axis % 3], " and ", "xyz"[d],
                        "; sides of different directions need ids of their own");
                axis = d;
              }
          }
  require(axis != numbers::invalid_unsigned_int, "Problem/Boundaries: boundary ", id,
          " has free slip, but is not parallel to the axes");
  return axis;
}

template <int dim>
adamant::DirichletBoundary dirichlet_boundary(const ProblemParameters &problem, const Triangulation<dim> &mesh)
{
  adamant::DirichletBoundary dirichlet;
  for (const auto id : mesh.get_boundary_ids())
    {
      const bool slip = problem.kind(id) == "free_slip";
      dirichlet[id]   = ComponentMask(dim, !slip);
      if (slip)
        dirichlet[id].set(normal_axis(mesh, id), true);
    }
  return dirichlet;
}

/// Where all components are prescribed.
template <int dim>
std::set<types::boundary_id> walls(const ProblemParameters &problem, const Triangulation<dim> &mesh)
{
  std::set<types::boundary_id> ids;
  for (const auto id : mesh.get_boundary_ids())
    if (problem.kind(id) != "free_slip")
      ids.insert(id);
  return ids;
}

/// At the prescribed DoFs of the space; where a boundary with a velocity meets one without slip, 0.
template <int dim>
Array<double> prescribed_velocity(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                  const Mapping<dim> &mapping)
{
  Array<double> g(space.prescribed.size(), 0.);
  const auto    at = [&](types::boundary_id id, const Function<dim> &value) {
    const auto    on_boundary = DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {id});
    const auto    values      = adamant::nodal_values(space, mapping, value, space.prescribed);
    for (std::size_t i = 0; i < g.size(); ++i)
      if (on_boundary.is_element(space.prescribed[i]))
        g[i] = values[i];
  };
  const auto ids = space.dof_handler().get_triangulation().get_boundary_ids();
  for (const auto id : ids)
    if (problem.kind(id) == "velocity")
      at(id, *adamant::parse_function<dim>("Problem/Boundary velocity", problem.velocity_on(id), dim));
  for (const auto id : ids)
    if (problem.kind(id) == "no_slip")
      at(id, Functions::ZeroFunction<dim>(dim));
  return g;
}

/// Viscosities over `scale`, the geometric mean of their extremes.
struct CellViscosity
{
  Array<double> of_cells, at_points; // the latter only where it is not averaged
  double        scale = 1., least = 1., most = 1.;
};

/// The average of n numbers > 0.
inline double average(const std::string &kind, const double *values, std::size_t n)
{
  double sum = 0.;
  for (std::size_t i = 0; i < n; ++i)
    sum += kind == "harmonic" ? 1. / values[i] : kind == "geometric" ? std::log(values[i]) : values[i];
  return kind == "harmonic" ? n / sum : kind == "geometric" ? std::exp(sum / n) : sum / n;
}

/// From the values at the quadrature points, n_q of each cell: coordinate d of point i in points[d n + i].
template <int dim>
CellViscosity cell_viscosity(const adamant::LevelSpace<dim> &space, const Function<dim> &viscosity,
                             const Array<double> &points, const std::string &kind)
{
  const std::size_t n = points.size() / dim, n_q = n / space.n_cells();
  CellViscosity     result;
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
  result.of_cells.resize(space.n_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    result.of_cells[cell] = average(kind, &values[cell * n_q], n_q);
  if (kind == "none")
    result.at_points = std::move(values);
  const auto &all = kind == "none" ? result.at_points : result.of_cells;
  result.least    = *std::min_element(all.begin(), all.end());
  result.most     = *std::max_element(all.begin(), all.end());
  require(result.most <= 1e12 * result.least, "Problem/Viscosity varies by ", result.most / result.least,
          "; more than 1e12 is beyond double precision");
  result.scale = std::sqrt(result.least) * std::sqrt(result.most);
  for (auto *array : {&result.of_cells, &result.at_points})
    for (double &value : *array)
      value /= result.scale;
  return result;
}

inline double max_norm(const Array<double> &values)
{
  double most = 0.;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  return most;
}
} // namespace stokes
