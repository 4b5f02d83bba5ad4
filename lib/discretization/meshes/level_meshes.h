#pragma once

#include "base/array.h"
#include "discretization/fields/distributed_rows.h"
#include "discretization/meshes/cell_list.h"

#include <deal.II/grid/tria.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// One mesh of the multigrid sequence and how its cells lie in the next coarser one.
template <int dim>
struct LevelMesh
{
  static constexpr unsigned char same_cell = 255;

  std::shared_ptr<const CellList<dim>> cells;       ///< those that this rank owns
  Array<int>                           coarse_cell; ///< cell of the next coarser mesh that contains each of them; empty
                                                    ///< on level 0
  Array<unsigned char> child;                       ///< which child of it the cell is, or same_cell

  /// Of a distributed mesh: the numbers of the coarse cells, those of other ranks as ghosts. Null for a serial one.
  std::shared_ptr<const Partitioner> coarse_cells;
};

/// In place of a number of cells at which coarsening ends: no coarser mesh is made.
inline constexpr unsigned int finest_level_only = std::numeric_limits<unsigned int>::max();

/// The meshes of global coarsening (Liebchen et al., Figure 1; Becker & Braack 2000): the finest is `finest` itself
/// (not copied: it has to outlive the result), each coarser one undoes every refinement that deal.II's rules for
/// hanging nodes allow and spans the domain. Coarsening ends with the first mesh of at most `coarsest_cells` cells, or
/// where nothing is left to undo. Level 0 is the coarsest.
///
/// The coarser meshes of a serial one are lists of cells in its tree, see CellList. Its cells and faces that are
/// refined take material and boundary ids from their first children, as users may have set them there. Meshes of p4est
/// (parallel::distributed::Triangulation) are coarsened by create_distributed_level_meshes, to Triangulations.
///
/// `finest` has to pass check_mesh.
template <int dim>
std::vector<LevelMesh<dim>> create_level_meshes(dealii::Triangulation<dim> &finest, unsigned int coarsest_cells,
                                                unsigned int cells_per_rank = 1000, bool coarsest_on_one_rank = true);

/// How far the level meshes go, and where they live.
struct LevelMeshOptions
{
  unsigned int coarsest_cells =
    1; ///< coarsening ends with the first mesh of at most so many cells, or finest_level_only
  /// Of several ranks those take part in a coarser level that have at least so many cells each.
  unsigned int cells_per_rank = 1000;
  /// The coarsest level is on the first rank alone, as its dense inverse needs.
  bool coarsest_on_one_rank = true;
};

/// The level meshes that fields share, see create_level_meshes. Level 0 is the coarsest; the finest is the given mesh
/// itself.
template <int dim>
class LevelMeshes
{
public:
  /// `finest` (serial, or of p4est) has to outlive the object and must not be refined meanwhile. All its ranks call it
  /// together. Throws RunError as check_mesh does.
  LevelMeshes(dealii::Triangulation<dim> &finest, const LevelMeshOptions &options);

  std::size_t           size() const { return n_levels; }
  const LevelMesh<dim> &operator[](std::size_t level) const { return level + 1 == n_levels ? finest() : all()[level]; }
  const LevelMesh<dim> &finest() const { return kept ? *kept : all().back(); }

  /// The cells of the finest level and their mesh.
  const std::shared_ptr<const CellList<dim>>              &finest_cells() const { return cells; }
  const std::shared_ptr<const dealii::Triangulation<dim>> &finest_mesh() const { return cells->mesh(); }

  /// @name Frees what nobody else shares; it is built anew where it is asked for, which threads must not do at once.
  /// @{
  void release_coarser(); ///< the coarser meshes; finest() tells yet how its cells lie in the next coarser one
  void release();         ///< this, too
  /// @}

private:
  const std::vector<LevelMesh<dim>> &all() const; // built if they are not there

  dealii::Triangulation<dim>          &finest_triangulation;
  LevelMeshOptions                     options;
  std::shared_ptr<const CellList<dim>> cells;
  mutable std::vector<LevelMesh<dim>>  levels; // none where they have been released
  std::size_t                          n_levels;
  std::optional<LevelMesh<dim>>        kept; // the finest, where only the others have been
};

/// Throws RunError where `mesh` is neither serial nor p4est's, or not refined isotropically.
template <int dim>
void check_mesh(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
