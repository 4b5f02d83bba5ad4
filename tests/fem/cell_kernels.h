#pragma once

#include "fem/forms/cell_kernel.h"

/// Cell kernels of the tests.
namespace test
{
/// ∫ k ∇φ_i · ∇φ_j + φ_i (b · ∇φ_j) + φ_i φ_j - 0.1 φ_i Δφ_j, b = (1, ..., dim), k at the quadrature points.
struct Transport
{
  static constexpr int rows = 1, columns = 1;
  const double        *k;

  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    double along = 0;
    for (int d = 0; d < dim; ++d)
      along += (d + 1) * at.gradient_j[d];
    local[0][0] += (k[at.point] * adamant::dot<dim>(at.gradient_i, at.gradient_j) +
                    at.value_i * (along + at.value_j - 0.1 * at.laplacian_j)) *
                   at.JxW;
  }
};

/// ∫ E (div φ_i div φ_j + 2 ∇φ_i : ∇φ_j) + 0.3 φ_i,0 φ_j,1 for vector fields, E of each cell.
template <int dim>
struct Elastic
{
  static constexpr int rows = dim, columns = dim;
  const double        *E;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    const double e = E[at.cell] * at.JxW, laplace = 2. * adamant::dot<dim>(at.gradient_i, at.gradient_j);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        local[c][d] += e * (at.gradient_i[c] * at.gradient_j[d] + (c == d ? laplace : 0.));
    local[0][1] += 0.3 * at.value_i * at.value_j * at.JxW;
  }
};

/// -∫ φ_i div φ_j, for a scalar field and a vector field.
template <int dim>
struct Divergence
{
  static constexpr int rows = 1, columns = dim;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[1][dim]) const
  {
    for (int d = 0; d < dim; ++d)
      local[0][d] -= at.value_i * at.gradient_j[d] * at.JxW;
  }
};

/// value[point] = 1 + u², square[point] = |∇u|².
struct Squares
{
  int     dim;
  double *value, *square;

  ADAMANT_HOST_DEVICE void operator()(int point, double u, const double *gradient) const
  {
    value[point]  = 1. + u * u;
    square[point] = 0;
    for (int d = 0; d < dim; ++d)
      square[point] += gradient[d] * gradient[d];
  }
};
} // namespace test
