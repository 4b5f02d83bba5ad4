#pragma once

#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <vector>

namespace adamant
{
/// Returns a patch of nodes for each cell: the nodes with free unknowns on which the cell's nodes act, through H. It
/// works on one rank and throws InputError on several.
template <int dim>
Patches cell_patches(const LevelSpace<dim> &space);

/// Returns a patch around each vertex: the nodes that act, through H, on none but the vertex's cells. A node counts as
/// a vertex if no other node acts on all of its cells; of nodes with equal cells the first one counts. These are the
/// inner vertices of uniform meshes, and on other meshes the vertices that do not hang. With elements of degree 1 a
/// patch is one node and the boundary nodes beside it. Throws InputError on several ranks.
template <int dim>
Patches vertex_patches(const LevelSpace<dim> &space);

/// Returns a patch around each such vertex: all nodes that act, through H, on its cells. Throws on several ranks.
template <int dim>
Patches star_patches(const LevelSpace<dim> &space);

/// Replaces the interpolations P of `levels`, the levels of a matrix of `field`, and R = Pᵀ. The nodal values i inside
/// cells that have been refined are changed so that they have the least energy:
///
///   P_i <- - A_ii⁻¹ A_ib P_b,
///
/// where b are the other nodes, on which P stays. Thus a divergence-free function of the coarse level keeps its energy,
/// as multigrid for nearly incompressible materials needs (Schoeberl 1999). P is computed once, from the present values
/// of the matrices. It works on one rank and throws InputError on several.
template <int dim>
void make_harmonic(const Field<dim> &field, std::vector<LevelData> &levels);
} // namespace adamant
