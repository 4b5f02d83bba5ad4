#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "discretization/meshes/former_cells.h"
#include "discretization/meshes/mesh.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/tria.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// A MeshChange of whatever dimension.
class MeshChangeBase
{
public:
  virtual ~MeshChangeBase() = default;
};

/// One refinement and coarsening of a mesh that nodal values go through, by tables of a serial mesh's cells or by
/// deal.II's SolutionTransfer for meshes of p4est:
///
///   MeshChange<dim> change(mesh);              // whose cells are flagged
///   change.keep(space, u);                     // for each vector
///   change.execute();
///   // now spaces are made anew
///   u = change.take(space);                    // in the same order
///
/// Where cells are refined the function stays the same; where they are coarsened it is interpolated. Cells of p4est's
/// meshes are spread over the ranks as refinement does it (mesh.h). All ranks call everything together.
template <int dim>
class MeshChange : public MeshChangeBase
{
public:
  /// `mesh` has to outlive the object. Its flags come to what deal.II's rules for hanging nodes allow, at the latest in
  /// execute().
  explicit MeshChange(dealii::Triangulation<dim> &mesh);
  ~MeshChange() override;
  MeshChange(const MeshChange &)            = delete;
  MeshChange &operator=(const MeshChange &) = delete;

  /// Whether any rank's cells change.
  bool any() const { return changes; }

  /// Nodal values of the owned DoFs, in host memory; hanging nodes get what they hang on. The space may be destroyed
  /// afterwards.
  void keep(const LevelSpace<dim> &space, const double *owned);

  /// What comes before deal.II's work, which is to be timed on its own; and that.
  void prepare();
  void execute();

  /// The values of the next vector kept, at the owned DoFs of a space of the same element on the mesh as it is now;
  /// continuous at hanging nodes. Throws RunError where none is left.
  Array<double> take(const LevelSpace<dim> &space);

private:
  class Transfer; // of the vectors of one space
  class OnSerialMesh;
  class OnForest;
  struct Place
  {
    Transfer   *transfer;
    std::size_t vector; // of its own ones
  };
  Transfer &transfer_of(const LevelSpace<dim> &space);

  dealii::Triangulation<dim>             &mesh;
  bool                                    changes = false;
  std::shared_ptr<const FormerCells<dim>> former; // of a serial mesh
  std::vector<std::unique_ptr<Transfer>>  transfers;
  std::vector<Place>                      kept;
  std::size_t                             taken = 0;
};
} // namespace adamant
