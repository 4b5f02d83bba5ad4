#pragma once

#include "base/array.h"
#include "fem/ranks/row.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>

#include <array>
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
} // namespace adamant
