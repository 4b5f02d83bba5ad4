#pragma once

#include "fem/meshes/level_meshes.h"

#include <deal.II/distributed/tria.h>

#include <cstdint>
#include <vector>

namespace adamant
{
/// Returns the ranks to which the cells of a small level go: entry r is the rank that takes the cells of rank r;
/// entries ascend. `machines` has for each rank the first rank of its machine (Communicator::machines). Ranks of one
/// machine that do not follow each other count as ranks of several machines. About so many ranks stay that each has at
/// least `cells_per_rank` cells. While each machine keeps a rank, ranks give their cells to a neighbour on their own
/// machine. With fewer ranks than machines, the first rank of a group of neighbouring machines takes all cells of the
/// group. Where the ranks of one machine are enough, the first machine alone has the level, so exchanges stay inside.
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank);

/// Returns the level meshes of a mesh of p4est, level 0 the coarsest; see create_level_meshes. `cells` lists the cells
/// of `finest`. Each coarser forest undoes every refinement that a 2:1 balance over faces, edges and corners allows;
/// p4est itself does it. A coarse cell stays on the rank of its children, except for the few that complete a family on
/// another rank. Levels with less than `cells_per_rank` cells per rank gather on fewer ranks (gathering). With
/// coarsest_on_one_rank the first rank has the whole coarsest level. Coarser meshes take boundary ids, material ids and
/// manifolds from the unrefined cells of `finest`.
template <int dim>
std::vector<LevelMesh<dim>>
create_distributed_level_meshes(const dealii::parallel::distributed::Triangulation<dim> &finest,
                                std::shared_ptr<const CellList<dim>> cells, const LevelMeshOptions &options);
} // namespace adamant
