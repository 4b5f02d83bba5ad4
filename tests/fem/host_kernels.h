#pragma once

#include "fem/forms/cell_context.h"

#include <deal.II/lac/full_matrix.h>

namespace test
{
/// The cell kernel Transport once more, as the host's assembly takes it, with k(point).
template <int dim, class Coefficient>
void transport(const adamant::CellContext<dim> &cell, const Coefficient &k, dealii::FullMatrix<double> &local)
{
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        {
          double along = 0;
          for (unsigned int d = 0; d < dim; ++d)
            along += (d + 1) * cell.gradient(j, q)[d];
          const double k_q = k(cell.cell_number() * int(cell.n_quadrature_points()) + int(q));
          local(i, j) += (k_q * (cell.gradient(i, q) * cell.gradient(j, q)) +
                          cell.value(i, q) * (along + cell.value(j, q) - 0.1 * trace(cell.hessian(j, q)))) *
                         cell.JxW(q);
        }
}
} // namespace test
