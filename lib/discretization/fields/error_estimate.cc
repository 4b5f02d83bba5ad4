#include "discretization/fields/error_estimate.h"

#include "discretization/meshes/mesh.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/numerics/error_estimator.h>

namespace adamant
{
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *u)
{
  const auto           &dofs = space.dof_handler();
  dealii::Vector<float> errors(dofs.get_triangulation().n_active_cells());
  dealii::KellyErrorEstimator<dim>::estimate(mapping, dofs, dealii::QGauss<dim - 1>(dofs.get_fe().degree + 1), {},
                                             nodal_vector(space, u), errors);
  return errors;
}

template dealii::Vector<float> estimate_errors(const LevelSpace<2> &, const dealii::Mapping<2> &, const double *);
template dealii::Vector<float> estimate_errors(const LevelSpace<3> &, const dealii::Mapping<3> &, const double *);
} // namespace adamant
