#pragma once

#include "discretization/forms/cell_kernel.h"

#include <cmath>

// Cell kernels of Stokes flow with a viscosity that varies, for host and GPU.

namespace adamant
{
/// ∫ 2 η ε(φ_j e_d) : ε(φ_i e_c) = ∫ η (δ_cd ∇φ_i · ∇φ_j + ∂_d φ_i ∂_c φ_j), η constant in each cell, or given at each
/// quadrature point.
template <int dim>
struct ViscousStress
{
  static constexpr int rows = dim, columns = dim;
  const double        *viscosity;
  bool                 at_points;

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    const double weight = viscosity[at_points ? at.point : at.cell] * at.JxW;
    const double same   = weight * dot<dim>(at.gradient_i, at.gradient_j);
    for (int c = 0; c < dim; ++c)
      {
        for (int d = 0; d < dim; ++d)
          local[c][d] += weight * at.gradient_i[d] * at.gradient_j[c];
        local[c][c] += same;
      }
  }
};

/// ∫ φ_i φ_j / η, η constant in the parts of each cell that finer cells are: fine_cell names that of each point.
struct WeightedMass
{
  static constexpr int rows = 1, columns = 1;
  const double        *viscosity; ///< of the finer cells
  const int           *fine_cell;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += at.value_i * at.value_j * at.JxW / viscosity[fine_cell[at.point]];
  }
};

/// ∫ k ∇φ_i · ∇φ_j, k constant in each cell.
struct WeightedLaplacian
{
  static constexpr int rows = 1, columns = 1;
  const double        *k;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += k[at.cell] * dot<dim>(at.gradient_i, at.gradient_j) * at.JxW;
  }
};

/// y = a x^exponent, elementwise.
struct Power
{
  double                     a, exponent;
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return a * pow(x[i], exponent); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// x = 1 / x where x > 0, else 0, elementwise: of lumped masses, which are 0 at constrained unknowns.
struct InvertPositive
{
  double                    *x;
  ADAMANT_HOST_DEVICE double value(int i) const { return x[i] > 0. ? 1. / x[i] : 0.; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { x[i] = value; }
};
} // namespace adamant
