#include "discretization/fields/l2_error.h"

#include "discretization/forms/cell_loop.h"

#include <deal.II/base/mpi.h>

#include <cmath>
#include <numeric>

namespace adamant
{
template <int dim>
double l2_error(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                const dealii::Quadrature<dim> &quadrature, const double *owned, const dealii::Function<dim> &exact)
{
  const Array<double> u = space.local_values(owned);
  Array<double>       squares(space.n_cells());
  for_each_cell(space, mapping, quadrature,
                dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values,
                [&](int cell, const dealii::FEValues<dim> &fe_values) {
                  const int *dofs = space.cell_dofs(cell);
                  double     sum  = 0;
                  for (const unsigned int q : fe_values.quadrature_point_indices())
                    {
                      double difference = -exact.value(fe_values.quadrature_point(q));
                      for (const unsigned int i : fe_values.dof_indices())
                        difference += u[dofs[i]] * fe_values.shape_value(i, q);
                      sum += difference * difference * fe_values.JxW(q);
                    }
                  squares[cell] = sum;
                });
  const double sum = std::accumulate(squares.begin(), squares.end(), 0.);
  return std::sqrt(dealii::Utilities::MPI::sum(sum, space.partition().get_mpi_communicator()));
}

template double l2_error(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Quadrature<2> &,
                         const double *, const dealii::Function<2> &);
template double l2_error(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Quadrature<3> &,
                         const double *, const dealii::Function<3> &);
} // namespace adamant
