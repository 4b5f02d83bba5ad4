#pragma once

#include "base/array.h"
#include "discretization/meshes/cell_list.h"

#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// Where the DoFs of an element lie: on the vertices, lines, faces and in the interior of each cell. Those of a mesh
/// are numbered one kind after the other, used ones or not; cells share them where they touch, and a cell that is
/// refined has its vertices, lines and faces still.
template <int dim>
class CellEntities
{
public:
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;

  /// Whether each of them has at most one DoF of a component, as Q1 and Q2 have it: how they lie in a cell plays no
  /// part then.
  static bool suffice(const dealii::FiniteElement<dim> &fe);

  /// Of these cells, which have to outlive the object. Throws RunError where there are more than an int counts.
  CellEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);

  std::size_t size() const { return first.back(); }
  int         n_dofs(int entity) const; ///< on one of the mesh

  /// @name Of a cell, those that have DoFs
  /// @{
  int n_of_cell() const { return static_cast<int>(parts.size()); }
  int first_dof(int part) const { return parts[part].first_dof; } ///< of the cell, the others of the part follow it
  int n_dofs_of(int part) const { return n_dofs_of_kind[parts[part].kind]; }
  int part_of(int dof) const { return part_of_dof[dof]; }
  /// Its number in the mesh. The interior: of one of the cells.
  int of_cell(const Cell &cell, int part) const;
  /// @}

private:
  struct Part
  {
    int          kind; // 0: a vertex, 1: a line, ..., dim: the interior
    unsigned int number;
    int          first_dof;
  };
  const CellList<dim>     &cells;
  std::vector<Part>        parts;
  std::vector<int>         part_of_dof, n_dofs_of_kind;
  std::vector<std::size_t> first; // entity of each kind, and behind the last one
};

/// Numbers for the DoFs of all cells and the constraints at hanging nodes, closed: what a DoFHandler and
/// make_hanging_node_constraints have, without the maps that deal.II's other functions need.
template <int dim>
struct EntityNumbering
{
  std::size_t                       n_dofs;
  Array<int>                        cell_dofs; // [cell * dofs per cell + i]
  dealii::AffineConstraints<double> hanging_nodes;
};

/// `cells` are all cells of a serial mesh, and CellEntities suffice for `fe`. The DoFs are sorted by their positions,
/// see PositionKey; those of one vertex, line, face or interior follow each other. Throws RunError where there are more
/// than an int counts.
template <int dim>
EntityNumbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);
} // namespace adamant
