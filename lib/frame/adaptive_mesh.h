#pragma once

#include <deal.II/base/function.h>
#include <deal.II/fe/fe.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

namespace adamant
{
/// Parameters of a refinement by Kelly's estimator.
struct Refinement
{
  unsigned int cycles;
  double       refine, coarsen = 0.; ///< fractions of the cells, in each cycle
};

/// Refines the mesh where the interpolation of a function is least resolved. Kelly's estimator of the jumps of the
/// interpolation's gradients chooses the cells. All ranks call it together.
template <int dim>
void refine_for(const dealii::Function<dim> &function, dealii::Triangulation<dim> &mesh,
                const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element,
                const Refinement &refinement);
} // namespace adamant
