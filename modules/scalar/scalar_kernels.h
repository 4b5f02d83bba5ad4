#pragma once

#include "base/host_device.h"
#include "fem/forms/cell_kernel.h"

#include <cmath>

// Functors of a scalar equation, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Several values at each of n points: value c at point p is values[c stride + p].
struct PointView
{
  const double *values; ///< null: there are none
  long          stride;

  ADAMANT_HOST_DEVICE double operator()(int c, int point) const { return values[c * stride + point]; }
};

/// Where the coefficients of a scalar equation stand among the values at a point. The components of the velocity come
/// first, then the reaction and the diffusion: one number, or the rows of a symmetric tensor's upper half. Where
/// `slope` is set, the components of the diffusion's divergence follow.
struct CoefficientPlaces
{
  int  n_diffusion = 1;
  bool slope       = false;

  template <int dim>
  static constexpr int diffusion = dim + 1; ///< place of the first number; that of the reaction is dim
  template <int dim>
  ADAMANT_HOST_DEVICE int size() const
  {
    return dim + 1 + n_diffusion + (slope ? dim : 0);
  }

  /// Returns a . Λ b for the diffusion Λ at a point.
  template <int dim>
  ADAMANT_HOST_DEVICE double product(const PointView &at, int point, const double *a, const double *b) const
  {
    if (n_diffusion == 1)
      return at(diffusion<dim>, point) * dot<dim>(a, b);
    double sum = 0;
    for (int d = 0, k = diffusion<dim>; d < dim; ++d)
      for (int e = d; e < dim; ++e, ++k)
        sum += at(k, point) * (e == d ? a[d] * b[d] : a[d] * b[e] + a[e] * b[d]);
    return sum;
  }
};

/// Returns the factor τ of streamline upwind stabilisation (Brooks & Hughes 1982): τ = h / (2 |b|) (coth Pe - 1 / Pe)
/// with Pe = |b| h / (2 λ). Here h is the length of a cell's edge over the degree of the element, and λ the diffusion.
/// Where nothing flows, the factor is zero.
ADAMANT_HOST_DEVICE inline double upwind_time(double speed, double diffusion, double h)
{
  if (speed == 0.)
    return 0.;
  const double peclet = 0.5 * speed * h / (diffusion > 1e-300 ? diffusion : 1e-300);
  return 0.5 * h / speed * (peclet < 1e-2 ? peclet / 3. : 1. / tanh(peclet) - 1. / peclet);
}

/// Computes τ b at a point, in along[d stride + point]; see upwind_time.
template <int dim>
struct UpwindShift
{
  PointView         coefficients;
  CoefficientPlaces places;
  const double     *h; ///< of each point
  double           *along;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double b[dim];
    for (int d = 0; d < dim; ++d)
      b[d] = coefficients(d, point);
    const double square = dot<dim>(b, b), diffusion = places.product<dim>(coefficients, point, b, b),
                 tau = upwind_time(std::sqrt(square), square > 0. ? diffusion / square : 0., h[point]);
    for (int d = 0; d < dim; ++d)
      along[d * coefficients.stride + point] = tau * b[d];
  }
};

/// Integrals over the faces of a cell: a matrix for each of some cells, by rows.
struct FaceMatricesView
{
  const int    *of_cell; ///< number of the cell's matrix, or -1; null: no cell has one
  const double *entries;
  int           n; ///< rows of each matrix

  ADAMANT_HOST_DEVICE double operator()(int cell, int a, int b) const
  {
    const int k = of_cell == nullptr ? -1 : of_cell[cell];
    return k < 0 ? 0. : entries[(static_cast<long>(k) * n + a) * n + b];
  }
};

/// Integrates mass φ_j ψ_i + stiffness K_ij with the test function ψ_i = φ_i + τ b . ∇φ_i, and adds stiffness times the
/// matrices of faces. K_ij is ∇φ_i . Λ ∇φ_j + (b . ∇φ_j + r φ_j) ψ_i - div(Λ ∇φ_j) (ψ_i - φ_i).
template <int dim>
struct ScalarKernel
{
  static constexpr int rows = 1, columns = 1;

  double            mass, stiffness;
  PointView         coefficients, along; ///< along: τ b, or null for τ = 0
  CoefficientPlaces places;
  FaceMatricesView  faces;
  int               n_q; ///< points of a cell

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    double transport = coefficients(dim, at.point) * at.value_j, shift = 0;
    for (int d = 0; d < dim; ++d)
      transport += coefficients(d, at.point) * at.gradient_j[d];
    double K = places.product<dim>(coefficients, at.point, at.gradient_i, at.gradient_j);
    if (along.values != nullptr)
      {
        double second = coefficients(CoefficientPlaces::diffusion<dim>, at.point) * at.laplacian_j;
        for (int d = 0; d < dim; ++d)
          {
            shift += along(d, at.point) * at.gradient_i[d];
            if (places.slope)
              second += coefficients(dim + 1 + places.n_diffusion + d, at.point) * at.gradient_j[d];
          }
        K -= second * shift;
      }
    K += transport * (at.value_i + shift);
    local[0][0] += (mass * at.value_j * (at.value_i + shift) + stiffness * K) * at.JxW;
    if (faces.of_cell != nullptr && at.point % n_q == 0)
      local[0][0] += stiffness * faces(at.cell, at.a, at.b);
  }
};

/// Sets product[i] = f[i] g[i].
struct ProductAtPoints
{
  const double *f, *g;
  double       *product;

  ADAMANT_HOST_DEVICE void operator()(int i) const { product[i] = f[i] * g[i]; }
};
} // namespace adamant
