#pragma once

#include "algebra/compressed_rows.h"
#include "fem/forms/cell_kernel.h"
#include "scalar/scalar_kernels.h"

// The passes of transport with limited fluxes (limited_transport.h), for host and GPU. Each pass computes a row i from
// the entries k = (i, j) of rows.

namespace adamant
{
/// Integrates ∫ φ_i φ_j.
struct PlainMass
{
  static constexpr int rows = 1, columns = 1;
  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += at.value_i * at.value_j * at.JxW;
  }
};

/// Integrates ∫ ∇φ_i · ∇φ_j.
struct PlainLaplacian
{
  static constexpr int rows = 1, columns = 1;
  template <int dim>
  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    local[0][0] += dot<dim>(at.gradient_i, at.gradient_j) * at.JxW;
  }
};

/// Integrates (∫ φ_j u · ∇φ_i - ∫ φ_i u · ∇φ_j) / 2, which is antisymmetric.
template <int dim>
struct SkewTransport
{
  static constexpr int rows = 1, columns = 1;
  PointView            velocity;

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    double u[dim];
    for (int d = 0; d < dim; ++d)
      u[d] = velocity(d, at.point);
    local[0][0] += 0.5 * at.JxW * (at.value_j * dot<dim>(u, at.gradient_i) - at.value_i * dot<dim>(u, at.gradient_j));
  }
};

/// Computes result_ij = k_ij - l_ij (ψ_i - ψ_j), in the order of the entries.
struct AddPotentialFlow
{
  RowsView                 K, L;
  const double            *psi;
  double                  *result;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (EntryNumber k = L.row_start[i]; k < L.row_start[i + 1]; ++k)
      result[k] = K.value[k] - L.value[k] * (psi[i] - psi[L.column[k]]);
  }
};

/// K, M of one pattern, and the lumped masses m; rows of constrained unknowns have their diagonal entry alone.
struct TransportView
{
  RowsView      K, M;
  const double *m;

  /// Returns d_ij = |k_ij|, with which k_ij + d_ij >= 0 and, as k_ij = -k_ji, d_ij = d_ji.
  ADAMANT_HOST_DEVICE double diffusion(EntryNumber k) const { return K.value[k] < 0. ? -K.value[k] : K.value[k]; }
};

/// Computes result_i = Σ_j m_ij.
struct SumRows
{
  RowsView                 M;
  double                  *result;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double sum = 0.;
    for (EntryNumber k = M.row_start[i]; k < M.row_start[i + 1]; ++k)
      sum += M.value[k];
    result[i] = sum;
  }
};

/// Computes result_i = Σ_j (k_ij + d_ij) / m_i: forward Euler's low-order step keeps bounds up to the inverse of it.
struct TransportRate
{
  TransportView            at;
  double                  *result;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double sum = 0.;
    for (EntryNumber k = at.K.row_start[i]; k < at.K.row_start[i + 1]; ++k)
      if (at.K.column[k] != i)
        sum += at.K.value[k] + at.diffusion(k);
    result[i] = sum / at.m[i];
  }
};

/// Computes r_i = Σ_j k_ij (c_j - c_i), rate_i = r_i / m_i, and low_i = c_i + dt / m_i Σ_j (k_ij + d_ij) (c_j - c_i).
struct LowOrderStep
{
  TransportView            at;
  double                   dt;
  const double            *c;
  double                  *r, *rate, *low;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double sum = 0., upwind = 0.;
    for (EntryNumber k = at.K.row_start[i]; k < at.K.row_start[i + 1]; ++k)
      if (at.K.column[k] != i)
        {
          const double difference = c[at.K.column[k]] - c[i];
          sum += at.K.value[k] * difference;
          upwind += (at.K.value[k] + at.diffusion(k)) * difference;
        }
    r[i]    = sum;
    rate[i] = sum / at.m[i];
    low[i]  = c[i] + dt * upwind / at.m[i];
  }
};

/// Takes one step of Richardson's method for M c' = r: to_i = from_i + (r_i - Σ_j m_ij from_j) / m_i.
struct MassStep
{
  TransportView            at;
  const double            *r, *from;
  double                  *to;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double sum = 0.;
    for (EntryNumber k = at.M.row_start[i]; k < at.M.row_start[i + 1]; ++k)
      sum += at.M.value[k] * from[at.M.column[k]];
    to[i] = from[i] + (r[i] - sum) / at.m[i];
  }
};

/// The fluxes from the low-order step to the high-order one: f_ij = m_ij (c'_i - c'_j) + d_ij (c_i - c_j) = -f_ji.
struct TransportFluxes
{
  TransportView at;
  const double *c, *rate, *low;
  double        dt;

  ADAMANT_HOST_DEVICE double operator()(int i, EntryNumber k) const
  {
    const int j = at.M.column[k];
    return at.M.value[k] * (rate[i] - rate[j]) + at.diffusion(k) * (c[i] - c[j]);
  }
};

/// Computes Zalesak's limits: rise_i and fall_i, at most 1, are parts of the positive and of the negative fluxes into
/// i. With these parts i surely stays in the range of the low-order values of i and its neighbours.
struct FluxLimits
{
  TransportFluxes          flux;
  double                  *rise, *fall;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const RowsView &M     = flux.at.M;
    double          least = flux.low[i], most = least, in = 0., out = 0.;
    for (EntryNumber k = M.row_start[i]; k < M.row_start[i + 1]; ++k)
      if (M.column[k] != i && M.value[k] != 0.)
        {
          const double low = flux.low[M.column[k]], f = flux(i, k);
          least = low < least ? low : least;
          most  = low > most ? low : most;
          (f > 0. ? in : out) += f;
        }
    const double room = flux.at.m[i] / flux.dt, up = room * (most - flux.low[i]), down = room * (least - flux.low[i]);
    rise[i] = in > up ? up / in : 1.;
    fall[i] = out < down ? down / out : 1.;
  }
};

/// Computes `result_i = old_weight old_i + (1 - old_weight) (low_i + dt / m_i Σ_j α_ij f_ij)`, a Runge-Kutta stage.
struct LimitedStep
{
  TransportFluxes          flux;
  const double            *rise, *fall, *old;
  double                   old_weight;
  double                  *result;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const RowsView &M   = flux.at.M;
    double          sum = 0.;
    for (EntryNumber k = M.row_start[i]; k < M.row_start[i + 1]; ++k)
      if (const int j = M.column[k]; j != i)
        {
          const double f = flux(i, k), here = f > 0. ? rise[i] : fall[i], there = f > 0. ? fall[j] : rise[j];
          sum += (here < there ? here : there) * f;
        }
    result[i] = old_weight * old[i] + (1. - old_weight) * (flux.low[i] + flux.dt * sum / flux.at.m[i]);
  }
};
} // namespace adamant
