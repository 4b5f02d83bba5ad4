#pragma once

#include "base/host_device.h"
#include "fem/forms/cell_kernel.h"
#include "scalar/scalar_kernels.h"

// Functors of a nonlinear scalar equation (NonlinearEquation), for host and GPU: they call no function of deal.II.

namespace adamant
{
/// For AtQuadraturePoints: stores u, and the components of ∇u in gradient[d stride + point] unless that is null.
template <int dim>
struct StoreSolution
{
  double *u, *gradient;
  long    stride;

  ADAMANT_HOST_DEVICE void operator()(int point, double value, const double *slope) const
  {
    u[point] = value;
    for (int d = 0; d < dim && gradient != nullptr; ++d)
      gradient[d * stride + point] = slope[d];
  }
};

/// Computes at a point what the residual integrates: density = c w - dt f, and flux = dt k ∇u in place of ∇u. The
/// components of `terms` are k, c, f.
template <int dim>
struct ResidualAtPoint
{
  PointView     terms;
  const double *w;
  double        dt;
  double       *density, *flux; ///< flux[d terms.stride + point]: ∇u comes in

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    density[point] = terms(1, point) * w[point] - dt * terms(2, point);
    for (int d = 0; d < dim; ++d)
      flux[d * terms.stride + point] *= dt * terms(0, point);
  }
};

/// The Jacobian's factors at points. The components of `terms` are k, c, and with Newton's method k', c', f'; Picard's
/// method leaves the last ones out.
struct JacobianFactors
{
  double    a0, dt;
  PointView terms, gradient, w;
  bool      newton;

  /// Returns a0 c + c' w - dt f', the factor of φ_j φ_i.
  ADAMANT_HOST_DEVICE double mass(int p) const
  {
    return a0 * terms(1, p) + (newton ? terms(3, p) * w(0, p) - dt * terms(4, p) : 0.);
  }
};

/// Integrates `(a0 c + c' w - dt f') φ_j φ_i + dt (k ∇φ_j + k' φ_j ∇u) . ∇φ_i` and adds dt times the matrices of faces.
template <int dim>
struct NonlinearKernel : JacobianFactors
{
  static constexpr int rows = 1, columns = 1;

  FaceMatricesView faces;
  int              n_q; ///< points of a cell

  NonlinearKernel(const JacobianFactors &factors, const FaceMatricesView &faces, int n_q)
    : JacobianFactors(factors)
    , faces(faces)
    , n_q(n_q)
  {}

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    const int p    = at.point;
    double    flux = terms(0, p) * dot<dim>(at.gradient_i, at.gradient_j);
    if (newton)
      {
        double along = 0;
        for (int d = 0; d < dim; ++d)
          along += gradient(d, p) * at.gradient_i[d];
        flux += terms(2, p) * at.value_j * along;
      }
    local[0][0] += (mass(p) * at.value_i * at.value_j + dt * flux) * at.JxW;
    if (faces.of_cell != nullptr && p % n_q == 0)
      local[0][0] += dt * faces(at.cell, at.a, at.b);
  }
};

/// Computes the means of the factors over the points of a cell, which have equal weights. The i-th factor is that of
/// ∇φ_j . ∇φ_i, of φ_j φ_i, and of φ_j ∂_{i-2} φ_i.
struct MeansOfCell : JacobianFactors
{
  int     n_q, n_cells, n_factors;
  double *means; ///< means[i n_cells + cell]

  MeansOfCell(const JacobianFactors &factors, int n_q, int n_cells, int n_factors, double *means)
    : JacobianFactors(factors)
    , n_q(n_q)
    , n_cells(n_cells)
    , n_factors(n_factors)
    , means(means)
  {}

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    for (int i = 0; i < n_factors; ++i)
      {
        double sum = 0.;
        for (int p = n_q * cell; p < n_q * (cell + 1); ++p)
          sum += i == 0 ? dt * terms(0, p) : i == 1 ? mass(p) : dt * terms(2, p) * gradient(i - 2, p);
        means[static_cast<long>(i) * n_cells + cell] = sum / n_q;
      }
  }
};
} // namespace adamant
