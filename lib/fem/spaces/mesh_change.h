#pragma once

#include "fem/spaces/level_space.h"

namespace adamant
{
template <int dim>
class FormerCells;

/// The base of MeshChange<dim>, for code that does not know dim.
class MeshChangeBase
{
public:
  virtual ~MeshChangeBase() = default;
};

/// Carries nodal values through one refinement and coarsening of a mesh. Serial meshes use tables of cells, meshes of
/// p4est use deal.II's SolutionTransfer. Example:
/// ```
///   MeshChange<dim> change(mesh);              // a mesh with flagged cells
///   change.keep(space, u);                     // for each vector
///   change.prepare();
///   change.execute();
///   // now spaces are made anew
///   u = change.take(space);                    // in the same order
/// ```
/// Where cells are refined, the function does not change; where cells are coarsened, it is interpolated. Cells of a
/// mesh of p4est are distributed over the ranks as in mesh.h. All ranks call everything together.
template <int dim>
class MeshChange : public MeshChangeBase
{
public:
  /// Starts a change of `mesh`, which has to outlive the object. The flags are adapted to the rules for hanging nodes,
  /// at the latest in execute().
  explicit MeshChange(dealii::Triangulation<dim> &mesh);
  ~MeshChange() override;
  MeshChange(const MeshChange &)            = delete;
  MeshChange &operator=(const MeshChange &) = delete;

  /// Returns whether cells of any rank change.
  bool any() const { return changes; }

  /// Keeps a copy of the nodal values `owned` at the owned DoFs, in host memory. Hanging nodes get their interpolated
  /// values. The space may be destroyed afterwards.
  void keep(const LevelSpace<dim> &space, const double *owned);

  /// prepare() comes after the last keep(), and execute() then changes the mesh. Each can be timed alone.
  void prepare();
  void execute();

  /// Returns the next vector kept: its values at the owned DoFs of `space`, continuous at hanging nodes. `space` has
  /// the same element as before and lives on the changed mesh. Throws RunError where no vector is left.
  Array<double> take(const LevelSpace<dim> &space);

private:
  struct Transfer; // carries the vectors of one space
  class OnSerialMesh;
  class OnForest;
  Transfer &transfer_of(const LevelSpace<dim> &space);

  dealii::Triangulation<dim>             &mesh;
  bool                                    changes = false;
  std::shared_ptr<const FormerCells<dim>> former; // null on a mesh of p4est
  std::vector<std::unique_ptr<Transfer>>  transfers;
  std::vector<Transfer *>                 kept; // of each vector, in the order of keep()
  std::size_t                             taken = 0;
};
} // namespace adamant
