#pragma once

#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <vector>

namespace adamant
{
/// Returns patches of nodes, which act through H as PatchKind says. A node counts as a vertex if no other node acts on
/// all of its cells; of nodes with equal cells the first one counts. These are the inner vertices of uniform meshes,
/// and on other meshes the vertices that do not hang. With elements of degree 1, a patch of kind `vertices` is one node
/// and the boundary nodes beside it. Throws InputError on several ranks.
template <int dim>
Patches make_patches(const LevelSpace<dim> &space, PatchKind kind);

/// Has the interpolations P of `levels`, the levels of a matrix of `field`, follow their matrices, and R = Pᵀ. The
/// nodal values i inside cells that have been refined are changed so that they have the least energy:
///
///   P_i <- - A_ii⁻¹ A_ib P_b,
///
/// where b are the other nodes, on which P stays. Thus a divergence-free function of the coarse level keeps its energy,
/// as multigrid for nearly incompressible materials needs (Schoeberl 1999). Multigrid computes P from the values that
/// the matrices have, and with each update anew. All ranks call it together.
template <int dim>
void make_harmonic(const Field<dim> &field, std::vector<LevelData> &levels);
} // namespace adamant
