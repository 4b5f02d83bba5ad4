#pragma once

#include "fem/meshes/cell_list.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/distributed/tria.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// One mesh of the multigrid sequence, and where its cells lie in the next coarser mesh.
template <int dim>
struct LevelMesh
{
  static constexpr unsigned char same_cell = 255;

  std::shared_ptr<const CellList<dim>> cells;       ///< the cells that this rank owns
  Array<int>                           coarse_cell; ///< number of the coarser cell around each cell; empty on level 0
  Array<unsigned char>                 child;       ///< which child of its coarse cell each cell is, or same_cell

  /// The numbers of a distributed mesh's coarse cells, with other ranks' cells as ghosts. A serial mesh has null.
  std::shared_ptr<const Partitioner> coarse_cells;

  /// This level of a mesh of p4est, in place of `cells`, where LevelMeshOptions want coarser forests alone.
  std::shared_ptr<typename dealii::internal::p4est::types<dim>::forest> forest;
};

/// A value for coarsest_cells: no coarser mesh is made.
inline constexpr unsigned int finest_level_only = std::numeric_limits<unsigned int>::max();

/// How far the level meshes go, and on which ranks they live.
struct LevelMeshOptions
{
  unsigned int coarsest_cells =
    1; ///< coarsening ends with the first mesh of at most so many cells; or finest_level_only
  /// A coarser level lives on about so many ranks that each has at least this number of cells.
  unsigned int cells_per_rank = 1000;
  /// Whether the first rank alone has the coarsest level, as the coarsest level's dense inverse needs.
  bool coarsest_on_one_rank = true;
  /// Whether the coarser meshes of a mesh of p4est stay forests, which are made in less time: LevelMesh::forest.
  bool forests_alone = false;
};

/// The meshes of global coarsening (Liebchen et al., Figure 1; Becker & Braack 2000), which several fields share. Level
/// 0 is the coarsest, and the finest level is the given mesh itself. Each coarser mesh spans the domain; it undoes
/// every refinement that deal.II's rules for hanging nodes allow to undo. Coarsening ends where nothing is left to
/// undo.
///
/// The coarser meshes of a serial mesh are lists of cells in its tree (CellList); material_id and boundary_id return
/// the ids of refined cells and faces. A mesh of p4est (parallel::distributed::Triangulation) is coarsened to
/// Triangulations or forests, by create_distributed_level_meshes.
template <int dim>
class LevelMeshes
{
public:
  /// Builds the level meshes of `finest`, which has to outlive the object and must not be refined meanwhile. All ranks
  /// of the mesh call it together. Throws RunError where `finest` is neither serial nor of p4est, or has
  /// anisotropically refined cells.
  LevelMeshes(const dealii::Triangulation<dim> &finest, const LevelMeshOptions &options);

  std::size_t           size() const { return n_levels; }
  const LevelMesh<dim> &operator[](std::size_t level) const { return level + 1 == n_levels ? finest() : all()[level]; }
  const LevelMesh<dim> &finest() const { return kept ? *kept : all().back(); }

  /// Returns the cells of the finest level; finest_mesh() returns the mesh that has them.
  const std::shared_ptr<const CellList<dim>>              &finest_cells() const { return cells; }
  const std::shared_ptr<const dealii::Triangulation<dim>> &finest_mesh() const { return cells->mesh(); }

private:
  template <int>
  friend class HierarchyBuilder; // which frees meshes; all() builds them anew, which threads must not do at once

  const std::vector<LevelMesh<dim>> &all() const; // builds the levels where they are not there

  LevelMeshOptions                     options;
  std::shared_ptr<const CellList<dim>> cells;
  mutable std::vector<LevelMesh<dim>>  levels; // empty where they have been released
  std::size_t                          n_levels;
  std::optional<LevelMesh<dim>>        kept; // the finest level, where `levels` have been released
};

/// Returns the ranks to which the cells of a small level go: entry r is the rank that takes the cells of rank r;
/// entries ascend. `machines` has for each rank the first rank of its machine (Communicator::machines). Ranks of one
/// machine that do not follow each other count as ranks of several machines. About so many ranks stay that each has at
/// least `cells_per_rank` cells. While each machine keeps a rank, ranks give their cells to a neighbour on their own
/// machine. With fewer ranks than machines, the first rank of a group of neighbouring machines takes all cells of the
/// group. Where the ranks of one machine are enough, the first machine alone has the level, so exchanges stay inside.
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank);

/// Returns the level meshes of a mesh of p4est, level 0 the coarsest; see LevelMeshes. `cells` lists the cells
/// of `finest`. Each coarser forest undoes every refinement that a 2:1 balance over faces, edges and corners allows;
/// p4est itself does it. A coarse cell stays on the rank of its children, except for the few that complete a family on
/// another rank. Levels with less than `cells_per_rank` cells per rank gather on fewer ranks (gathering). With
/// coarsest_on_one_rank the first rank has the whole coarsest level. Triangulations take boundary ids, material ids and
/// manifolds from the unrefined cells of `finest`.
template <int dim>
std::vector<LevelMesh<dim>>
create_distributed_level_meshes(const dealii::parallel::distributed::Triangulation<dim> &finest,
                                std::shared_ptr<const CellList<dim>> cells, const LevelMeshOptions &options);

/// The functions below serve elements on two meshes, such as Q1-iso-Q2/Q1. The finer mesh is the coarser one with all
/// cells refined.

/// Returns `options`, with fewer coarsest_cells if the level meshes of `finer` would else lack the coarser mesh. Throws
/// RunError where the last refinement of `finer` was not global.
template <int dim>
LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &finer, LevelMeshOptions options);

/// Returns the number of the second finest level. Throws RunError where it is not the coarser mesh.
template <int dim>
std::size_t halved_level(const LevelMeshes<dim> &meshes);
} // namespace adamant
