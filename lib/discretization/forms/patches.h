#pragma once

#include "discretization/fields/field.h"
#include "multigrid/level_data.h"

#include <vector>

namespace adamant
{
/// The patches of nodes for smoothers: of each cell those that have free unknowns and that its own nodes act on,
/// through H. On one rank only: throws InputError on several.
template <int dim>
Patches cell_patches(const LevelSpace<dim> &space);

/// Around each vertex the nodes that act, through H, on none but the cells that the vertex acts on; likewise. Vertices
/// are here the nodes whose cells are not all among those of another one: on uniform meshes the inner vertices, on others
/// those that do not hang. With elements of degree 1 a patch has one node, and those at the boundary beside it.
template <int dim>
Patches vertex_patches(const LevelSpace<dim> &space);

/// Around each such vertex all nodes that act, through H, on its cells; likewise.
template <int dim>
Patches star_patches(const LevelSpace<dim> &space);

/// Replaces the interpolations P of `levels`, which are those of a matrix of `field`, and R = Pᵀ. Inside the cells that
/// have been refined, the nodal values i become those of least energy:
///
///   P_i <- - A_ii⁻¹ A_ib P_b,
///
/// b the other nodes, on which P stays. A function of the coarse level without divergence keeps its energy so, which is
/// what multigrid for nearly incompressible materials asks for (Schoeberl 1999). Computed once, from the values that
/// the matrices have now. On one rank only: throws InputError on several.
template <int dim>
void make_harmonic(const Field<dim> &field, std::vector<LevelData> &levels);
} // namespace adamant
