#pragma once

#include "base/array.h"
#include "fem/meshes/cell_list.h"

#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// The entities on which the DoFs of an element lie: the vertices, lines, faces and interiors of cells. The entities of
/// a mesh are numbered one kind after the other, including unused ones. Cells share entities where they touch, and a
/// refined cell still has its vertices, lines and faces.
template <int dim>
class CellEntities
{
public:
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;

  /// Whether no entity has more than one DoF of a component, as with Q1 and Q2. Then the orientation of a line or a
  /// face in a cell plays no part.
  static bool suffice(const dealii::FiniteElement<dim> &fe);

  /// Numbers the entities of `cells`, which must outlive the object. Throws IndexOverflow where an int cannot count
  /// them.
  CellEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);

  std::size_t size() const { return first.back(); }
  int         n_dofs(int entity) const; ///< number of DoFs on an entity of the mesh

  /// @name The parts of a cell: the entities that have DoFs
  /// @{
  int n_of_cell() const { return static_cast<int>(parts.size()); }
  int first_dof(int part) const { return parts[part].first_dof; } ///< first DoF in the cell; the part's others follow
  int n_dofs_of(int part) const { return n_dofs_of_kind[parts[part].kind]; }
  int part_of(int dof) const { return part_of_dof[dof]; }
  /// Returns the mesh's number of the entity at `part` of `cell`. An interior has to be of a cell in the list.
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
  std::vector<std::size_t> first; // number of the first entity of each kind, and the end
};

/// The numbers of the DoFs of all cells, and the closed constraints at hanging nodes. A DoFHandler and
/// make_hanging_node_constraints have them, too, with maps that other functions of deal.II need.
template <int dim>
struct EntityNumbering
{
  std::size_t                       n_dofs;
  Array<int>                        cell_dofs; // [cell * dofs per cell + i]
  dealii::AffineConstraints<double> hanging_nodes;
};

/// Numbers the DoFs of all `cells` of a serial mesh; CellEntities have to suffice for `fe`. The DoFs are sorted by
/// their positions (PositionKey). The DoFs of one vertex, line, face or interior follow each other. Throws
/// IndexOverflow where an int cannot count them.
template <int dim>
EntityNumbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);
} // namespace adamant
