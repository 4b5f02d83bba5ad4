#pragma once

#include "discretization/meshes/level_meshes.h"

#include <deal.II/distributed/tria.h>

namespace adamant
{
/// create_level_meshes for a mesh of p4est, with the list of its cells. Each coarser forest undoes every refinement
/// that a 2:1 balance over faces, edges and corners allows, by p4est itself; a coarse cell stays on the rank of its
/// children, but for the few that complete a family there, and levels of less than `cells_per_rank` cells a rank gather
/// on fewer ranks (gathering.h), with coarsest_on_one_rank the coarsest on the first. Coarse cells take boundary ids,
/// material ids and manifolds from the mesh's own coarse cells.
template <int dim>
std::vector<LevelMesh<dim>>
create_distributed_level_meshes(const dealii::parallel::distributed::Triangulation<dim> &finest,
                                std::shared_ptr<const CellList<dim>> cells, const LevelMeshOptions &options);
} // namespace adamant
