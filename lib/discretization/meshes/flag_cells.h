#pragma once

#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

namespace adamant
{
/// What fractions of cells are of: the number of all cells, or the sum of the squares of their indicators.
enum class FractionsOf
{
  cells,
  error
};

/// Flags the cells of largest indicators that make up the fraction `refine` to be refined, and of the others those of
/// smallest indicators that make up `coarsen` to be coarsened; `indicators` has an entry >= 0 for each active cell.
/// Indicators count with 12 bits, and as 0 below 2^-15 of the largest; equal ones are treated alike, and 0 is never
/// refined: so the flags do not depend on the order of the cells, nor on the ranks, which call it together.
template <int dim>
void flag_cells(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                double coarsen, FractionsOf fractions = FractionsOf::cells);

/// The root of the sum of the squares of the indicators, counted as flag_cells does.
template <int dim>
double norm_of_indicators(const dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators);
} // namespace adamant
