#pragma once

#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

namespace adamant
{
/// Meshes whose last refinement is global, as that of a velocity whose pressure lives on the mesh with it undone: cells
/// come in families, all children of one parent in use, and change by whole families. All ranks call everything
/// together.

/// Gives each cell the root of the sum of the squares of its family's indicators.
template <int dim>
void sum_over_families(const dealii::Triangulation<dim> &mesh, dealii::Vector<float> &indicators);

/// Changes the flags of such a mesh so that after the refinement its last refinement is global again, and the mesh with
/// it undone 2:1 over faces, edges and corners: a family is refined where one of its cells is flagged so, or 2:1 wants
/// it; 2^dim families become one where all their cells are flagged and 2:1 allows it. The result depends on the mesh
/// and the flags alone, not on the ranks; neither deal.II nor p4est has anything to add.
template <int dim>
void flag_families(dealii::Triangulation<dim> &mesh);
} // namespace adamant
