#pragma once

#include "base/host_device.h"
#include "fem/forms/cell_kernel.h"

#include <cmath>

/// Residual and derivative of the stationary Navier-Stokes equations in bilinear elements, for host and GPU: they call
/// no function of deal.II.
namespace stationary_navier_stokes
{
/// The viscosity, where it varies its smallest value, and the constants of the stabilisation. With G = J⁻ᵀJ⁻¹, J the
/// map from the unit cell,
///   τ = (4 u·Gu + C_I ν² G:G)^(-1/2),   γ = γ₀ / (τ tr G).
struct Constants
{
  double viscosity, C_I, gamma_0;
};

/// The viscosity ν at quadrature points, as integrands read it.
struct Viscosity
{
  double        least;
  const double *relative; ///< over `least` at the points; null: it is constant

  ADAMANT_HOST_DEVICE bool   varies() const { return relative != nullptr; }
  ADAMANT_HOST_DEVICE double at(long point) const { return varies() ? least * relative[point] : least; }
};

/// The values that integrands read at a quadrature point, as consecutive numbers. They are u, its derivatives ∂_d u_i,
/// p, its gradient, R = (u·∇)u + ∇p - f, τ, ∂τ/∂u and γ.
template <int dim>
struct FlowValues
{
  static constexpr int size = dim + dim * dim + 1 + dim + dim + 1 + dim + 1;
  double              *first; ///< first value of the point
  ADAMANT_HOST_DEVICE  FlowValues(const double *all, long point)
    : first(const_cast<double *>(all) + point * size)
  {}

  ADAMANT_HOST_DEVICE double *u() const { return first; }
  ADAMANT_HOST_DEVICE double *gradient(int i) const { return first + dim + i * dim; } ///< of u_i
  ADAMANT_HOST_DEVICE double &p() const { return first[dim + dim * dim]; }
  ADAMANT_HOST_DEVICE double *pressure_gradient() const { return &p() + 1; }
  ADAMANT_HOST_DEVICE double *R() const { return pressure_gradient() + dim; }
  ADAMANT_HOST_DEVICE double &tau() const { return R()[dim]; }
  ADAMANT_HOST_DEVICE double *tau_u() const { return &tau() + 1; }
  ADAMANT_HOST_DEVICE double &gamma() const { return tau_u()[dim]; }
};

/// Computes FlowValues from the nodal values of (u, p), node by node, by Device::for_each over quadrature points.
template <int dim>
struct EvaluateFlow
{
  adamant::ShapesView shapes;
  const double       *nodal;
  const double       *force; ///< f at the points, component by component; or null: f = 0
  int                 n_points;
  Constants           constants;
  Viscosity           viscosity;
  double             *values;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const FlowValues<dim> at(values, point);
    double                inverse_jacobian[dim][dim]; // [k]: derivative of coordinate k of the unit cell
    interpolate(point, at, inverse_jacobian);
    for (int i = 0; i < dim; ++i)
      at.R()[i] = adamant::dot<dim>(at.u(), at.gradient(i)) + at.pressure_gradient()[i] -
                  (force == nullptr ? 0. : force[static_cast<long>(i) * n_points + point]);
    stabilize(viscosity.at(point), inverse_jacobian, at);
  }

private:
  // Coordinate k of the unit cell is itself a bilinear function, 1 at the vertices whose bit k is set.
  ADAMANT_HOST_DEVICE void interpolate(int point, const FlowValues<dim> &at, double (&inverse_jacobian)[dim][dim]) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    for (int k = 0; k < at.size; ++k)
      at.first[k] = 0.;
    for (int k = 0; k < dim; ++k)
      for (int d = 0; d < dim; ++d)
        inverse_jacobian[k][d] = 0.;
    for (int a = 0; a < shapes.n; ++a)
      {
        const double *x = nodal + static_cast<long>(shapes.node[static_cast<long>(cell) * shapes.n + a]) * (dim + 1);
        const double *gradient = shapes.gradient + (place + a) * dim;
        const double  value    = shapes.value[q * shapes.n + a];
        for (int i = 0; i < dim; ++i)
          at.u()[i] += x[i] * value;
        at.p() += x[dim] * value;
        for (int d = 0; d < dim; ++d)
          {
            for (int i = 0; i < dim; ++i)
              at.gradient(i)[d] += x[i] * gradient[d];
            at.pressure_gradient()[d] += x[dim] * gradient[d];
            for (int k = 0; k < dim; ++k)
              if ((a >> k) & 1)
                inverse_jacobian[k][d] += gradient[d];
          }
      }
  }

  ADAMANT_HOST_DEVICE void stabilize(double                 nu, const double (&inverse_jacobian)[dim][dim],
                                     const FlowValues<dim> &at) const
  {
    double Gu[dim] = {}, square = 0., trace = 0.; // square: G:G
    for (int d = 0; d < dim; ++d)
      for (int e = 0; e < dim; ++e)
        {
          double G = 0.;
          for (int k = 0; k < dim; ++k)
            G += inverse_jacobian[k][d] * inverse_jacobian[k][e];
          Gu[d] += G * at.u()[e];
          square += G * G;
          trace += d == e ? G : 0.;
        }
    const double tau = 1. / sqrt(4. * adamant::dot<dim>(at.u(), Gu) + constants.C_I * nu * nu * square);
    at.tau()         = tau;
    for (int d = 0; d < dim; ++d)
      at.tau_u()[d] = -4. * tau * tau * tau * Gu[d];
    at.gamma() = constants.gamma_0 / (tau * trace);
  }
};

/// Integrates the residual, by Device::for_each over the nodes of all cells, cell n + a. With `T_a = φ_a + τ u·∇φ_a`
///   F_i = ∫ ν ∇φ_a·∇u_i + T_a (u·∇u_i - f_i) + τ u·∇φ_a ∂_i p - p ∂_i φ_a + γ div u ∂_i φ_a,
///   F_p = ∫ φ_a div u + τ ∇φ_a·R.
/// Where ν varies, ∇u_i + ∂_i u takes the place of ∇u_i in the first term. R has no viscous part in any case, as
/// bilinear functions do not show it.
template <int dim>
struct CellResidual
{
  adamant::ShapesView shapes;
  const double       *values; ///< FlowValues
  Viscosity           viscosity;
  double             *residual; ///< [(cell n + a) (dim + 1) + i]

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  cell = index / shapes.n, a = index % shapes.n;
    const long first      = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     F[dim + 1] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const long            point = static_cast<long>(cell) * shapes.n_q + q;
        const FlowValues<dim> at(values, point);
        const double          nu       = viscosity.at(point);
        const double         *gradient = shapes.gradient + ((first + q) * shapes.n + a) * dim;
        const double          value = shapes.value[q * shapes.n + a], weight = shapes.JxW[first + q];
        const double          along      = adamant::dot<dim>(at.u(), gradient);
        double                divergence = 0.;
        for (int i = 0; i < dim; ++i)
          divergence += at.gradient(i)[i];
        for (int i = 0; i < dim; ++i)
          F[i] += weight *
                  (nu * adamant::dot<dim>(gradient, at.gradient(i)) + value * (at.R()[i] - at.pressure_gradient()[i]) +
                   at.tau() * along * at.R()[i] - at.p() * gradient[i] + at.gamma() * divergence * gradient[i]);
        for (int i = 0; i < dim && viscosity.varies(); ++i)
          for (int d = 0; d < dim; ++d)
            F[i] += weight * nu * gradient[d] * at.gradient(d)[i];
        F[dim] += weight * (value * divergence + at.tau() * adamant::dot<dim>(gradient, at.R()));
      }
    for (int i = 0; i <= dim; ++i)
      residual[static_cast<long>(index) * (dim + 1) + i] = F[i];
  }
};

/// Integrates the derivative of F. With theta = 0 it is Picard's: it takes τ, and u where it convects, for constant.
template <int dim>
struct FlowJacobian
{
  static constexpr int rows = dim + 1, columns = dim + 1;
  const double        *values; ///< FlowValues
  Viscosity            viscosity;
  double               theta;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[dim + 1][dim + 1]) const
  {
    const FlowValues<dim> flow(values, at.point);
    const double         *g_a = at.gradient_i, *g_b = at.gradient_j, *R = flow.R();
    const double          along_a = adamant::dot<dim>(flow.u(), g_a), along_b = adamant::dot<dim>(flow.u(), g_b),
                 gradients = adamant::dot<dim>(g_a, g_b), tau = flow.tau(), T_a = at.value_i + tau * along_a,
                 nu = viscosity.at(at.point), turned = viscosity.varies() ? nu : 0.,
                 same = nu * gradients + T_a * along_b, changed = theta * at.value_j, R_a = adamant::dot<dim>(g_a, R);
    for (int j = 0; j < dim; ++j)
      {
        double transported = 0.; // Σ_i ∂_i φ_a ∂_j u_i
        for (int i = 0; i < dim; ++i)
          {
            const double tested = tau * g_a[j] + flow.tau_u()[j] * along_a;
            local[i][j] += at.JxW * (changed * (T_a * flow.gradient(i)[j] + tested * R[i]) +
                                     flow.gamma() * g_a[i] * g_b[j] + turned * g_a[j] * g_b[i] + (i == j ? same : 0.));
            transported += g_a[i] * flow.gradient(i)[j];
          }
        local[dim][j] += at.JxW * (at.value_i * g_b[j] + tau * g_a[j] * along_b +
                                   changed * (tau * transported + flow.tau_u()[j] * R_a));
        local[j][dim] += at.JxW * (tau * along_a * g_b[j] - g_a[j] * at.value_j);
      }
    local[dim][dim] += at.JxW * tau * gradients;
  }
};
/// Integrates the part of the derivative that couples velocities, and the mass matrix of the pressure, with the weight
/// min ν / ν.
template <int dim>
struct VelocityJacobian
{
  static constexpr int rows = dim + 1, columns = dim + 1;
  FlowJacobian<dim>    whole;

  ADAMANT_HOST_DEVICE void operator()(const adamant::IntegrationPoint<dim> &at, double (&local)[dim + 1][dim + 1]) const
  {
    double all[dim + 1][dim + 1] = {};
    whole(at, all);
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        local[i][j] += all[i][j];
    local[dim][dim] += at.value_i * at.value_j * at.JxW * (whole.viscosity.least / whole.viscosity.at(at.point));
  }
};
} // namespace stationary_navier_stokes
