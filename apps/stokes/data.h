#pragma once

#include "parameters.h"

#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "discretization/fields/nodal_values.h"
#include "discretization/meshes/mesh.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

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

/// ∮ g . n and ∮ |g . n| for the velocities that the input prescribes.
template <int dim>
std::array<double, 2> prescribed_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                      const Mapping<dim> &mapping)
{
  std::map<types::boundary_id, std::unique_ptr<FunctionParser<dim>>> g;
  for (const auto id : space.dof_handler().get_triangulation().get_boundary_ids())
    if (problem.kind(id) == "velocity")
      g[id] = adamant::parse_function<dim>("Problem/Boundary velocity", problem.velocity_on(id), dim);
  std::array<double, 2> flux{};
  FEFaceValues<dim>     at_face(mapping, space.dof_handler().get_fe(), QGauss<dim - 1>(4),
                                update_quadrature_points | update_normal_vectors | update_JxW_values);
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (cell->at_boundary(face) && g.count(cell->face(face)->boundary_id()) > 0)
        {
          at_face.reinit(cell, face);
          for (const unsigned int q : at_face.quadrature_point_indices())
            {
              double normal = 0.;
              for (unsigned int c = 0; c < dim; ++c)
                normal += g[cell->face(face)->boundary_id()]->value(at_face.quadrature_point(q), c) *
                          at_face.normal_vector(q)[c];
              flux[0] += normal * at_face.JxW(q);
              flux[1] += std::abs(normal) * at_face.JxW(q);
            }
        }
  return flux;
}

/// At the prescribed DoFs of the space, times a factor; where a boundary with a velocity meets one without slip, 0.
/// InputError where more flows out than in.
template <int dim>
Array<double> prescribed_velocity(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                  const Mapping<dim> &mapping, double factor)
{
  const auto flux = prescribed_flux(problem, space, mapping);
  require(std::abs(flux[0]) <= 1e-4 * flux[1], "Problem/Boundary velocity: ", flux[0],
          " flows out through the boundary all in all; div u = 0 needs 0");
  Array<double> g(space.prescribed.size(), 0.);
  const auto    at = [&](types::boundary_id id, const Function<dim> &value) {
    const auto on_boundary = DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {id});
    const auto values      = adamant::nodal_values(space, mapping, value, space.prescribed);
    for (std::size_t i = 0; i < g.size(); ++i)
      if (on_boundary.is_element(space.prescribed[i]))
        g[i] = factor * values[i];
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

/// Viscosities over `scale`: that of the input is 1 in the cases without units, else the harmonic mean over the domain,
/// which is about that of the parts that flow.
struct CellViscosity
{
  Array<double> of_cells, at_points;               // the latter only where it is not averaged
  double        scale = 1., least = 1., most = 1.; // the extremes over scale

  /// Continued from a constant: with s = 1 what it is.
  Array<double> stage(double s) const
  {
    Array<double> eta = of_cells;
    for (double &value : eta)
      value *= std::pow(value / least, s - 1.);
    return eta;
  }
};

/// The average of n numbers > 0.
inline double average(const std::string &kind, const double *values, std::size_t n)
{
  double sum = 0.;
  for (std::size_t i = 0; i < n; ++i)
    sum += kind == "harmonic" ? 1. / values[i] : kind == "geometric" ? std::log(values[i]) : values[i];
  return kind == "harmonic" ? n / sum : kind == "geometric" ? std::exp(sum / n) : sum / n;
}

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

/// From the values at the quadrature points of all cells, averaged as `kind` says; with a scale where `has_units`.
template <int dim>
CellViscosity cell_viscosity(const adamant::LevelSpace<dim> &space, Array<double> at_points, const std::string &kind,
                             bool has_units)
{
  const std::size_t n_q = at_points.size() / space.n_cells();
  CellViscosity     eta;
  double            volume = 0., fluidity = 0.;
  eta.of_cells.resize(space.n_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      const double measure = space.active_cells()[cell]->measure();
      eta.of_cells[cell]   = average(kind, &at_points[cell * n_q], n_q);
      volume += measure;
      fluidity += measure / eta.of_cells[cell];
    }
  if (kind == "none")
    eta.at_points = std::move(at_points);
  if (has_units)
    eta.scale = volume / fluidity;
  for (auto *array : {&eta.of_cells, &eta.at_points})
    for (double &value : *array)
      value /= eta.scale;
  const auto &all = kind == "none" ? eta.at_points : eta.of_cells;
  eta.least       = *std::min_element(all.begin(), all.end());
  eta.most        = *std::max_element(all.begin(), all.end());
  require(eta.most <= 1e12 * eta.least, "Problem/Viscosity varies by ", eta.most / eta.least,
          "; more than 1e12 is beyond double precision");
  return eta;
}

/// The largest ratio of the values of two cells with a common face, on one rank.
template <int dim>
double largest_jump(const adamant::LevelSpace<dim> &space, const Array<double> &of_cells)
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

/// float32 is mixed where the viscosity is too rough for it, unless the parameters say no.
template <int dim>
adamant::Precision choose_precision(const SolverParameters &parameters, const CellViscosity &eta,
                                    const adamant::LevelSpace<dim> &space)
{
  const auto wanted = parameters.options("").precision;
  return parameters.adapt_precision && wanted == adamant::Precision::float32 && eta.most > 1e5 * eta.least &&
             largest_jump(space, eta.of_cells) > 1e3 ?
           adamant::Precision::mixed :
           wanted;
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
