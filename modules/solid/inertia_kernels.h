#pragma once

#include "fem/forms/cell_kernel.h"

// Functors of a body's inertia, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// The forces ρ c (u - center) by undeformed volume, which tie a body to the place `center` of its points.
struct InertiaTerm
{
  double        c;       ///< 0: there are none
  const double *density; ///< ρ in each cell; null: 1

  /// Adds their derivative to a block of the tangent.
  template <int dim>
  ADAMANT_HOST_DEVICE void add_tangent(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    if (c == 0.)
      return;
    const double value = c * (density == nullptr ? 1. : density[at.cell]) * at.JxW * at.value_i * at.value_j;
    for (int d = 0; d < dim; ++d)
      local[d][d] += value;
  }
};
} // namespace adamant
