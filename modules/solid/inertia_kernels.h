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

  ADAMANT_HOST_DEVICE double factor(int cell) const { return density == nullptr ? c : c * density[cell]; } ///< ρ c
};
} // namespace adamant
