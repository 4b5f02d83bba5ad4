#include "discretization/fields/error_estimate.h"

#include "discretization/meshes/mesh.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace adamant
{
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *u, const dealii::ComponentMask &components)
{
  const auto           &dofs = space.dof_handler();
  dealii::Vector<float> errors(dofs.get_triangulation().n_active_cells());
  dealii::KellyErrorEstimator<dim>::estimate(mapping, dofs, dealii::QGauss<dim - 1>(dofs.get_fe().degree + 1), {},
                                             nodal_vector(space, u), errors, components);
  return errors;
}

template <int dim>
dealii::Vector<float> gradient_indicators(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                          const double                                                  *owned,
                                          const std::function<std::unique_ptr<dealii::Function<dim>>()> &make,
                                          const dealii::ComponentMask                                   &components)
{
  const Array<double>       u  = space.local_values(owned);
  const auto               &fe = space.dof_handler().get_fe();
  const dealii::QGauss<dim> quadrature(fe.degree + 1);
  dealii::Vector<float>     indicators(space.dof_handler().get_triangulation().n_active_cells());
  using Gradient = dealii::Point<dim>;
#pragma omp parallel
  {
    const auto            f = make();
    dealii::FEValues<dim> fe_values(mapping, fe, quadrature, dealii::update_gradients);
    std::vector<Gradient> gradients(fe.n_components());
#pragma omp for schedule(static)
    for (int cell = 0; cell < space.n_cells(); ++cell)
      {
        fe_values.reinit(space.active_cells()[cell]);
        f->set_time(fe_values.get_cell()->diameter() / std::sqrt(double(dim)));
        double largest = 0;
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            std::fill(gradients.begin(), gradients.end(), Gradient());
            for (const unsigned int i : fe_values.dof_indices())
              gradients[fe.system_to_component_index(i).first] +=
                u[space.cell_dofs(cell)[i]] * fe_values.shape_grad(i, q);
            for (unsigned int c = 0; c < fe.n_components(); ++c)
              if (components[c])
                largest = std::max(largest, std::abs(f->value(gradients[c])));
          }
        indicators[fe_values.get_cell()->active_cell_index()] = static_cast<float>(largest);
      }
  }
  return indicators;
}

template dealii::Vector<float> estimate_errors(const LevelSpace<2> &, const dealii::Mapping<2> &, const double *,
                                               const dealii::ComponentMask &);
template dealii::Vector<float> estimate_errors(const LevelSpace<3> &, const dealii::Mapping<3> &, const double *,
                                               const dealii::ComponentMask &);
template dealii::Vector<float> gradient_indicators(const LevelSpace<2> &, const dealii::Mapping<2> &, const double *,
                                                   const std::function<std::unique_ptr<dealii::Function<2>>()> &,
                                                   const dealii::ComponentMask &);
template dealii::Vector<float> gradient_indicators(const LevelSpace<3> &, const dealii::Mapping<3> &, const double *,
                                                   const std::function<std::unique_ptr<dealii::Function<3>>()> &,
                                                   const dealii::ComponentMask &);
} // namespace adamant
