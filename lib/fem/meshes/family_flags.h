#pragma once

#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

namespace adamant
{
/// The functions below are for meshes whose last refinement is global, for example the mesh of a velocity whose
/// pressure lives on the next coarser mesh. Cells of such a mesh come in families, all children of one parent, and
/// change by whole families. All ranks call each function together.

/// Replaces each cell's indicator by the root of the sum of the squares of the indicators in the cell's family.
template <int dim>
void sum_over_families(const dealii::Triangulation<dim> &mesh, dealii::Vector<float> &indicators);

/// Changes the flags of `mesh` so that after the refinement its last refinement is global again. The mesh without that
/// last refinement is then 2:1 over faces, edges and corners. A family is refined where one of its cells is flagged for
/// it or where the 2:1 rule demands it. Sibling families become one where all their cells are flagged for it and the
/// 2:1 rule allows it. The result depends on the mesh and the flags alone, not on the ranks; deal.II and p4est change
/// no further cells.
template <int dim>
void flag_families(dealii::Triangulation<dim> &mesh);
} // namespace adamant
