#include "frame/adaptive_mesh.h"

#include "fem/meshes/mesh.h"
#include "fem/spaces/nodal_vector.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/error_estimator.h>

namespace adamant
{
namespace
{
template <int dim>
dealii::Vector<float>
error_of_interpolation(const dealii::Function<dim> &function, const dealii::Triangulation<dim> &mesh,
                       const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element)
{
  dealii::DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(element);
  const auto            values = interpolate(mapping, dofs, function);
  dealii::Vector<float> indicators(mesh.n_active_cells());
  dealii::KellyErrorEstimator<dim>::estimate(mapping, dofs, dealii::QGauss<dim - 1>(element.degree + 1), {}, values,
                                             indicators);
  return indicators;
}
} // namespace

template <int dim>
void refine_for(const dealii::Function<dim> &function, dealii::Triangulation<dim> &mesh,
                const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element,
                const Refinement &refinement)
{
  for (unsigned int cycle = 0; cycle < refinement.cycles; ++cycle)
    refine_and_coarsen(mesh, error_of_interpolation(function, mesh, mapping, element), refinement.refine,
                       refinement.coarsen);
}

template void refine_for(const dealii::Function<2> &, dealii::Triangulation<2> &, const dealii::Mapping<2> &,
                         const dealii::FiniteElement<2> &, const Refinement &);
template void refine_for(const dealii::Function<3> &, dealii::Triangulation<3> &, const dealii::Mapping<3> &,
                         const dealii::FiniteElement<3> &, const Refinement &);
} // namespace adamant
