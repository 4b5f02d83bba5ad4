#pragma once

#include "parameters.h"

#include "base/exceptions.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_boundaries.h"
#include "flow/nodal_functionals.h"

#include <deal.II/fe/mapping.h>

#include <cmath>

/// Functions for the velocities on the boundary.
namespace stationary_navier_stokes
{
/// Returns whether a velocity at an open boundary is free. On a coarse mesh none may be, where all its nodes belong to
/// walls, too; the pressure has a free constant then.
template <int dim>
bool flows_out(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space)
{
  const auto &fe = space.element();
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (const unsigned int face : space.active_cells()[cell]->face_indices())
      if (const auto on = space.active_cells()[cell]->face(face);
          on->at_boundary() && problem.is_open(adamant::boundary_id(on)))
        for (unsigned int v = 0; v < GeometryInfo<dim>::vertices_per_face; ++v)
          for (unsigned int c = 0; c < dim; ++c)
            if (const auto vertex = GeometryInfo<dim>::face_to_cell_vertices(face, v);
                space.is_free(space.cell_dofs(cell)[fe.component_to_system_index(c, vertex)]))
              return true;
  return false;
}

/// Scales the values of g that are taken from a boundary, so that the velocity's flux goes through it. An interpolated
/// parabola on n cells lacks 1 / n² of the flux, and forces on bodies behind it lack more. The values stay where no net
/// flux is given, or g is far from it.
template <int dim>
void keep_flux(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping,
               types::boundary_id id, adamant::PrescribedVelocity &g)
{
  Array<double> own(g.values.size(), 0.);
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = g.from[i] == id ? g.values[i] : 0.;
  const auto [own_flux, size] = adamant::flux_of(product(space.B, own), space, mapping, id);
  if (std::abs(own_flux) <= 1e-10 * size)
    return;
  const double others = adamant::flux_of(product(space.B, g.values), space, mapping, id).net - own_flux,
               factor = (given_flux(problem, space, mapping, id).net - others) / own_flux;
  if (factor > 0.5 && factor < 2.)
    for (std::size_t i = 0; i < own.size(); ++i)
      if (g.from[i] == id)
        g.values[i] *= factor;
}

/// Returns the values at the prescribed DoFs of the space, in host memory.
template <int dim>
Array<double> prescribed_velocities(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                    const Mapping<dim> &mapping)
{
  auto g = prescribed_velocity(problem, space, mapping);
  if (problem.keep_flux)
    for (const auto id : adamant::boundary_ids(space.triangulation()))
      if (problem.on(id) == adamant::FlowCondition::velocity)
        keep_flux(problem, space, mapping, id, g);
  return g.values;
}

/// Throws InputError where there are too many unknowns for a dense inverse.
inline void check_coarsest_level(const Parameters &parameters, int n_unknowns)
{
  require(parameters.linear_solver.coarse_solver != "dense_inverse" || n_unknowns <= 8192, "the coarsest level has ",
          n_unknowns, " unknowns, and its dense inverse at most 8192: the mesh needs fewer coarse cells, a smaller ",
          "Linear solver/Coarsest level cells, or Coarse solver = smoothing");
}
} // namespace stationary_navier_stokes
