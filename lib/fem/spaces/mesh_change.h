#pragma once

#include "base/array.h"
#include "fem/meshes/mesh.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/level_space.h"
#include "fem/spaces/nodal_vector.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Says from where a cell of a changed mesh has its nodal values. Either the cell was there before the change (same),
/// or its parent was (child), or its children were (parent).
struct Origin
{
  enum Kind : unsigned char
  {
    same,
    child,
    parent
  };
  Kind          kind;
  unsigned char which; ///< which child of its parent the cell is, for kind child
  int           cell;  ///< number of the former cell; for kind parent the number of the family
};

/// Remembers the active cells of a serial mesh before the mesh changes. The change leaves cells at their places, but
/// new cells of other parents may get the places of cells that vanish.
template <int dim>
class FormerCells
{
public:
  /// Numbers the cells of `mesh` as LevelSpace does.
  explicit FormerCells(const dealii::Triangulation<dim> &mesh);

  /// Returns the origin of an active cell of the mesh after one change.
  Origin origin_of(const typename dealii::Triangulation<dim>::cell_iterator &cell) const;

  using Family = std::array<int, dealii::GeometryInfo<dim>::max_children_per_cell>;
  const Family &family(int number) const { return families[number]; } ///< the former cells of a family, in order

private:
  struct Place
  {
    int number = -1; // of the cell; where a family of cells had this parent: -2 minus the family's number
    int parent = -1;
  };
  std::vector<std::vector<Place>> places; // by level and index of the cell
  std::vector<Family>             families;
};

/// Computes nodal values on the cells of a changed mesh, for an element with support points.
template <int dim>
class ChangedCell
{
public:
  explicit ChangedCell(const dealii::FiniteElement<dim> &element);

  /// Returns the value of DoF i of a cell with the given origin. `u` are the former nodal values. `dofs` are the DoFs
  /// of all former cells, cell after cell.
  double value(const FormerCells<dim> &former, const Origin &origin, int i, const int *dofs, const double *u) const;

private:
  static constexpr int n_children = dealii::GeometryInfo<dim>::max_children_per_cell;

  int                           per_cell;
  std::vector<std::vector<Row>> of_child;  // by child and DoF: weights of the parent's DoFs
  std::vector<Row>              of_parent; // by DoF: weights of the DoFs of all children, child after child
};

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

  /// Whether cells of any rank change.
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
  class Transfer; // carries the vectors of one space
  class OnSerialMesh;
  class OnForest;
  struct Place
  {
    Transfer   *transfer;
    std::size_t vector; // number among the vectors of `transfer`
  };
  Transfer &transfer_of(const LevelSpace<dim> &space);

  dealii::Triangulation<dim>             &mesh;
  bool                                    changes = false;
  std::shared_ptr<const FormerCells<dim>> former; // null on a mesh of p4est
  std::vector<std::unique_ptr<Transfer>>  transfers;
  std::vector<Place>                      kept;
  std::size_t                             taken = 0;
};
} // namespace adamant
