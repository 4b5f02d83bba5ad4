#include "fem/functions/l2_error.h"

#include "fem/forms/integral.h"

#include <cmath>
#include <vector>

namespace adamant
{
template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *owned, const dealii::Function<dim> &exact)
{
  const Array<double> u   = space.local_values(owned);
  const auto          add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *square) {
    const auto         &fe   = fe_values.get_fe();
    const int          *dofs = space.cell_dofs(cell);
    std::vector<double> difference(exact.n_components);
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        for (unsigned int c = 0; c < exact.n_components; ++c)
          difference[c] = -exact.value(fe_values.quadrature_point(q), c);
        for (const unsigned int i : fe_values.dof_indices())
          if (const unsigned int c = fe.system_to_component_index(i).first; c < exact.n_components)
            difference[c] += u[dofs[i]] * fe_values.shape_value(i, q);
        double norm_square = 0;
        for (const double d : difference)
          norm_square += d * d;
        *square += norm_square * fe_values.JxW(q);
      }
  };
  return std::sqrt(integrate<1>(space, mapping, quadrature,
                                dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values,
                                add)[0]);
}

template double l2_error(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Quadrature<2> &,
                         const double *, const dealii::Function<2> &);
template double l2_error(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Quadrature<3> &,
                         const double *, const dealii::Function<3> &);
} // namespace adamant
