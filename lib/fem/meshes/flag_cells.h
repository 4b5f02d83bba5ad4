#pragma once

#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

namespace adamant
{
/// Says what a fraction of the cells refers to: the number of all cells, or the sum of the squares of their indicators.
enum class FractionsOf
{
  cells,
  error
};

/// Flags the cells of largest indicators that make up the fraction `refine` for refinement. Of the other cells, it
/// flags the cells of smallest indicators that make up the fraction `coarsen` for coarsening. `indicators` has an entry
/// >= 0 for each active cell. Indicators are rounded to 12 bits, and count as 0 below 2^-15 of the largest one. Cells
/// with equal indicators get the same flag, and a cell with indicator 0 is never refined. So the flags depend neither
/// on the order of the cells nor on the ranks. All ranks call it together.
template <int dim>
void flag_cells(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                double coarsen, FractionsOf fractions = FractionsOf::cells);

/// Returns the root of the sum of the squares of all ranks' indicators, each rounded to 12 bits as in flag_cells().
template <int dim>
double norm_of_indicators(const dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators);

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
