#pragma once

#include "fem/forms/cell_kernel.h"

/// A step of transport-diffusion: ∫ φ_i φ_j + dt (k ∇φ_i · ∇φ_j + φ_i b · ∇φ_j), k at the quadrature points.
struct TransportStep
{
  static constexpr int rows = 1, columns = 1;
  double               dt;
  const double        *k;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += (at.value_i * (at.value_j - dt * at.gradient_j[1]) +
                    dt * k[at.point] * adamant::dot<dim>(at.gradient_i, at.gradient_j)) *
                   at.JxW;
  }
};

/// A condensed step of elasticity, M + dt² K, with a stiffness of each cell.
struct ElasticStep
{
  static constexpr int rows = 3, columns = 3;
  double               lambda, mu; ///< times dt²
  const double        *stiffness;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<3> &at, double (&local)[3][3]) const
  {
    const double factor = stiffness[at.cell] * at.JxW, l = factor * lambda, m = factor * mu;
    const double diagonal =
      at.value_i * at.value_j * at.JxW + m * adamant::dot<3>(at.gradient_i, at.gradient_j);
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d)
        local[c][d] += l * at.gradient_i[c] * at.gradient_j[d] + m * at.gradient_i[d] * at.gradient_j[c] +
                       (c == d ? diagonal : 0.);
  }
};
