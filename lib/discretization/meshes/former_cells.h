#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"
#include "discretization/fields/row.h"

#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <vector>

namespace adamant
{
/// Where a cell of a mesh that has changed has its nodal values from: it was there before, is a child of a cell that
/// was, or the parent of cells that were.
struct Origin
{
  enum Kind : unsigned char
  {
    same,
    child,
    parent
  };
  Kind          kind;
  unsigned char which; ///< the number of the child
  int           cell;  ///< of the former cells; of a parent: the number of the family
};

/// The active cells of a serial mesh, remembered before it changes. deal.II leaves cells where they are and gives the
/// places of those that vanish to new ones of other parents.
template <int dim>
class FormerCells
{
public:
  /// Numbers them as LevelSpace does.
  explicit FormerCells(const dealii::Triangulation<dim> &mesh);

  /// Of an active cell of the mesh after one change.
  Origin origin_of(const typename dealii::Triangulation<dim>::cell_iterator &cell) const;

  using Family = std::array<int, dealii::GeometryInfo<dim>::max_children_per_cell>;
  const Family &family(int number) const { return families[number]; } ///< the children that were cells, in order

private:
  struct Place
  {
    int number = -1; // of the cell; where cells of a family were its children, -2 minus the number of the family
    int parent = -1;
  };
  std::vector<std::vector<Place>> places; // by level and index
  std::vector<Family>             families;
};

/// What the nodal values on a cell that has changed are made of, for an element with support points.
template <int dim>
class ChangedCell
{
public:
  explicit ChangedCell(const dealii::FiniteElement<dim> &element);

  /// The value of DoF i on a cell: u are former nodal values, dofs the DoFs of the former cells, one cell's after the
  /// other's.
  double value(const FormerCells<dim> &former, const Origin &origin, int i, const int *dofs, const double *u) const;

private:
  static constexpr int n_children = dealii::GeometryInfo<dim>::max_children_per_cell;

  int                           per_cell;
  std::vector<std::vector<Row>> of_child;  // by child and DoF, from the parent's DoFs
  std::vector<Row>              of_parent; // by DoF, from those of all children, one child's after the other's
};
} // namespace adamant
