#pragma once

#include "parameters.h"

#include "application/mesh_input.h"
#include "base/exceptions.h"
#include "discretization/fields/level_space.h"
#include "discretization/fields/nodal_values.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

/// The velocities on the boundary.
namespace stationary_navier_stokes
{
/// All velocities are prescribed where there is no outflow; pressures never are.
template <int dim>
adamant::DirichletBoundary dirichlet_boundary(const ProblemParameters &problem, const Triangulation<dim> &mesh)
{
  std::set<unsigned int> given = problem.outflow;
  for (const auto &entry : problem.boundary_velocity)
    given.insert(entry.first);
  adamant::check_boundaries("section Problem", given, mesh);
  ComponentMask velocities(dim + 1, true);
  velocities.set(dim, false);
  adamant::DirichletBoundary dirichlet;
  for (const auto id : mesh.get_boundary_ids())
    if (problem.outflow.count(id) == 0)
      dirichlet[id] = velocities;
  require(!dirichlet.empty(), "Problem/Outflow boundaries: all boundaries are outflows; the velocity has to be "
                              "prescribed on one at least");
  return dirichlet;
}

template <int dim>
std::unique_ptr<Function<dim>> velocity_on(const ProblemParameters &problem, types::boundary_id id)
{
  const auto found = problem.boundary_velocity.find(id);
  return adamant::parse_function<dim>("Problem/Boundary velocity",
                                      found == problem.boundary_velocity.end() ? "0; 0; 0" : found->second, dim);
}

/// The values at the prescribed DoFs of the space, host memory. Where boundaries meet a node takes the velocity of
/// smallest, or largest, norm.
template <int dim>
Array<double> prescribed_velocities(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                    const Mapping<dim> &mapping)
{
  const bool    least = problem.edges == "wall";
  const auto   &mesh  = space.dof_handler().get_triangulation();
  const int     m     = space.node_size();
  Array<double> g(space.prescribed.size(), 0.), norm(space.n_dofs() / m, -1.);
  for (const auto id : mesh.get_boundary_ids())
    if (problem.outflow.count(id) == 0)
      {
        const auto on_boundary = DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {id});
        const auto values = adamant::nodal_values(space, mapping, *velocity_on<dim>(problem, id), space.prescribed);
        for (std::size_t i = 0; i < g.size(); i += dim) // the velocities of a node follow each other
          if (on_boundary.is_element(space.prescribed[i]))
            {
              double square = 0.;
              for (int c = 0; c < dim; ++c)
                square += values[i + c] * values[i + c];
              double &chosen = norm[space.prescribed[i] / m];
              if (chosen < 0. || (least ? square < chosen : square > chosen))
                {
                  chosen = square;
                  std::copy_n(&values[i], dim, &g[i]);
                }
            }
      }
  return g;
}

/// InputError where there are too many unknowns for a dense inverse.
inline void check_coarsest_level(const Parameters &parameters, int n_unknowns)
{
  require(parameters.linear_solver.coarse_solver != "dense_inverse" || n_unknowns <= 8192, "the coarsest level has ",
          n_unknowns, " unknowns, and its dense inverse at most 8192: the mesh needs fewer coarse cells, a smaller ",
          "Linear solver/Coarsest level cells, or Coarse solver = smoothing");
}

/// InputError where more flows in than out, or the reverse, and there is no outflow boundary.
template <int dim>
void check_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping)
{
  if (!problem.outflow.empty())
    return;
  double            flux = 0., scale = 0.;
  FEFaceValues<dim> face_values(mapping, space.dof_handler().get_fe(), QGauss<dim - 1>(8),
                                update_quadrature_points | update_normal_vectors | update_JxW_values);
  std::map<types::boundary_id, std::unique_ptr<Function<dim>>> velocity;
  for (const auto &[id, text] : problem.boundary_velocity)
    velocity[id] = velocity_on<dim>(problem, id);
  for (const auto &cell : space.active_cells())
    for (const unsigned int face : cell->face_indices())
      if (cell->at_boundary(face))
        if (const auto found = velocity.find(cell->face(face)->boundary_id()); found != velocity.end())
          {
            face_values.reinit(cell, face);
            for (const unsigned int q : face_values.quadrature_point_indices())
              {
                Tensor<1, dim> u;
                for (int c = 0; c < dim; ++c)
                  u[c] = found->second->value(face_values.quadrature_point(q), c);
                flux += u * face_values.normal_vector(q) * face_values.JxW(q);
                scale += u.norm() * face_values.JxW(q);
              }
          }
  require(std::abs(flux) <= 1e-10 * scale, "Problem/Boundary velocity: the ", flux < 0. ? "inflow" : "outflow",
          " exceeds the ", flux < 0. ? "outflow" : "inflow", " by ", std::abs(flux),
          ": the flow is incompressible; Problem/Outflow boundaries may take the rest");
}
} // namespace stationary_navier_stokes
