#pragma once

#include "fem/meshes/level_meshes.h"

#include <deal.II/distributed/tria.h>

namespace adamant
{
/// Returns the level meshes of a mesh of p4est, level 0 the coarsest; see create_level_meshes. `cells` lists the cells
/// of `finest`. Each coarser forest undoes every refinement that a 2:1 balance over faces, edges and corners allows;
/// p4est itself does it. A coarse cell stays on the rank of its children, except for the few that complete a family on
/// another rank. Levels with less than `cells_per_rank` cells per rank gather on fewer ranks (gathering.h). With
/// coarsest_on_one_rank the first rank has the whole coarsest level. Coarser meshes take boundary ids, material ids and
/// manifolds from the unrefined cells of `finest`.
template <int dim>
std::vector<LevelMesh<dim>>
create_distributed_level_meshes(const dealii::parallel::distributed::Triangulation<dim> &finest,
                                std::shared_ptr<const CellList<dim>> cells, const LevelMeshOptions &options);
} // namespace adamant
