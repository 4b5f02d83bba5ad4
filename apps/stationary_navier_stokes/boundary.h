#pragma once

#include "parameters.h"

#include "base/exceptions.h"
#include "expressions/values_at_points.h"
#include "fem/functions/points.h"
#include "fem/spaces/level_space.h"
#include "flow/nodal_functionals.h"
#include "meshes/mesh_input.h"

#include <deal.II/fe/mapping.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

/// Functions for the velocities on the boundary.
namespace stationary_navier_stokes
{
/// Returns the prescribed components: all velocities where there is neither outflow nor free slip, and never pressures.
template <int dim>
adamant::DirichletBoundary dirichlet_boundary(const ProblemParameters &problem, const Triangulation<dim> &mesh)
{
  auto given = problem.natural();
  for (const auto &entry : problem.boundary_velocity)
    given.insert(entry.first);
  adamant::check_boundaries("section Problem", given, mesh);
  ComponentMask velocities(dim + 1, true);
  velocities.set(dim, false);
  adamant::DirichletBoundary dirichlet;
  dirichlet.normal.insert(problem.free_slip.begin(), problem.free_slip.end());
  for (const auto id : problem.free_slip)
    adamant::check_edges("Problem/Free slip boundaries", mesh, id);
  for (const auto id : adamant::boundary_ids(mesh))
    if (problem.natural().count(id) == 0)
      dirichlet[id] = velocities;
  require(!dirichlet.empty() || !dirichlet.normal.empty(),
          "Problem/Outflow boundaries: all boundaries are outflows or periodic; the velocity has to be prescribed on "
          "one at least");
  return dirichlet;
}

/// Returns whether a velocity at an outflow boundary is free. On a coarse mesh none may be, where all nodes of the
/// outflow belong to walls, too; the pressure has a free constant then.
template <int dim>
bool flows_out(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space)
{
  const auto &fe = space.element();
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (const unsigned int face : space.active_cells()[cell]->face_indices())
      if (const auto on = space.active_cells()[cell]->face(face);
          on->at_boundary() && problem.outflow.count(adamant::boundary_id(on)) > 0)
        for (unsigned int v = 0; v < GeometryInfo<dim>::vertices_per_face; ++v)
          for (unsigned int c = 0; c < dim; ++c)
            if (const auto vertex = GeometryInfo<dim>::face_to_cell_vertices(face, v);
                space.is_free(space.cell_dofs(cell)[fe.component_to_system_index(c, vertex)]))
              return true;
  return false;
}

template <int dim>
std::unique_ptr<Function<dim>> velocity_on(const ProblemParameters &problem, types::boundary_id id)
{
  const auto found = problem.boundary_velocity.find(id);
  return adamant::parse_function<dim>("Problem/Boundary velocity",
                                      found == problem.boundary_velocity.end() ? "0; 0; 0" : found->second, dim);
}

/// Returns what flows out through a boundary with the velocity given there.
template <int dim>
adamant::BoundaryFlux given_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                 const Mapping<dim> &mapping, types::boundary_id id)
{
  const auto flux = adamant::flux_of(*velocity_on<dim>(problem, id), space, mapping, id);
  require(std::isfinite(flux.net), "Problem/Boundary velocity has values that are no numbers");
  return flux;
}

/// Scales the values of g whose boundary, in `from`, is `id`, so that the given velocity's flux goes through it. An
/// interpolated parabola on n cells lacks 1 / n² of the flux, and forces on bodies behind it lack more. The values stay
/// where no net flux is given, or g is far from it.
template <int dim>
void keep_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping,
               types::boundary_id id, const std::vector<types::boundary_id> &from, Array<double> &g)
{
  Array<double> own(g.size(), 0.);
  for (std::size_t i = 0; i < g.size(); ++i)
    own[i] = from[i] == id ? g[i] : 0.;
  const auto [own_flux, size] = adamant::flux_of(product(space.B, own), space, mapping, id);
  if (std::abs(own_flux) <= 1e-10 * size)
    return;
  const double others = adamant::flux_of(product(space.B, g), space, mapping, id).net - own_flux,
               factor = (given_flux(problem, space, mapping, id).net - others) / own_flux;
  if (factor > 0.5 && factor < 2.)
    for (std::size_t i = 0; i < g.size(); ++i)
      if (from[i] == id)
        g[i] *= factor;
}

/// Returns the values at the prescribed DoFs of the space, in host memory. A node where boundaries meet takes the
/// velocity of smallest, or largest, norm.
template <int dim>
Array<double> prescribed_velocities(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                    const Mapping<dim> &mapping)
{
  const bool                      least = problem.edges == "wall";
  const auto                     &mesh  = space.triangulation();
  const int                       m     = space.node_size();
  Array<double>                   g(space.prescribed.size(), 0.), norm(space.n_dofs() / m, -1.);
  std::vector<types::boundary_id> from(g.size(), numbers::invalid_boundary_id); // boundary whose velocity is taken
  for (const auto id : adamant::boundary_ids(mesh))
    if (problem.natural().count(id) == 0)
      {
        const auto on_boundary = space.on_boundary(id);
        const auto values = adamant::nodal_values(space, mapping, *velocity_on<dim>(problem, id), space.prescribed);
        for (std::size_t i = 0; i < g.size(); i += dim) // the velocities of a node follow each other
          if (on_boundary[space.prescribed[i]] != 0)
            {
              double square = 0.;
              for (int c = 0; c < dim; ++c)
                square += values[i + c] * values[i + c];
              require(!std::isnan(square), "Problem/Boundary velocity has values that are no numbers");
              double &chosen = norm[space.prescribed[i] / m];
              if (chosen < 0. || (least ? square < chosen : square > chosen))
                {
                  chosen = square;
                  std::copy_n(&values[i], dim, &g[i]);
                  std::fill_n(&from[i], dim, id);
                }
            }
      }
  adamant::require_numbers(space.communicator(), "Problem/Boundary velocity", g);
  if (problem.keep_flux)
    for (const auto &entry : problem.boundary_velocity)
      keep_flux(problem, space, mapping, entry.first, from, g);
  return g;
}

/// Throws InputError where there are too many unknowns for a dense inverse.
inline void check_coarsest_level(const Parameters &parameters, int n_unknowns)
{
  require(parameters.linear_solver.coarse_solver != "dense_inverse" || n_unknowns <= 8192, "the coarsest level has ",
          n_unknowns, " unknowns, and its dense inverse at most 8192: the mesh needs fewer coarse cells, a smaller ",
          "Linear solver/Coarsest level cells, or Coarse solver = smoothing");
}

/// Throws InputError where inflow and outflow differ, and there is no outflow boundary.
template <int dim>
void check_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping)
{
  if (!problem.outflow.empty())
    return;
  double flux = 0., scale = 0.;
  for (const auto &entry : problem.boundary_velocity)
    {
      const auto [out, size] = given_flux(problem, space, mapping, entry.first);
      flux += out;
      scale += size;
    }
  require(std::abs(flux) <= 1e-10 * scale, "Problem/Boundary velocity: the ", flux < 0. ? "inflow" : "outflow",
          " exceeds the ", flux < 0. ? "outflow" : "inflow", " by ", std::abs(flux),
          ": the flow is incompressible; Problem/Outflow boundaries may take the rest");
}
} // namespace stationary_navier_stokes
