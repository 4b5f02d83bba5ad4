#pragma once

#include "base/host_device.h"
#include "fem/forms/cell_kernel.h"
#include "scalar/scalar_kernels.h"

#include <cmath>

// Functors of a temperature that a flow carries (HeatEquation), for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Computes the velocity u at a point, and the time τ = (4 uᵀ G u + 72 κ² G : G)^(-1/2) of streamline upwinding. With
/// the Jacobian J of the velocity's cell, G = J⁻ᵀ J⁻¹; in a box of edges h_d it is diag(1 / h_d²). The velocity is
/// bilinear in cells, or in the 2^dim parts of a cell, of dim components. `position` has the places [a dim + e] of the
/// nodes in the reference cell, in edges of such parts.
/// `values` gets u and τ (0 without `upwind`), and `rate` gets |J⁻¹ u| + κ √(G : G) unless it is null.
template <int dim>
struct FlowAtPoints
{
  ShapesView    shapes;
  const double *position, *u;
  double        diffusion;
  bool          upwind;
  double       *values, *rate;
  long          stride;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place       = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    double     v[dim]      = {};
    double     J[dim][dim] = {}; // the gradients of the coordinates in the reference cell
    for (int a = 0; a < shapes.n; ++a)
      {
        const long    node     = shapes.node[static_cast<long>(cell) * shapes.n + a];
        const double *gradient = shapes.gradient + (place + a) * dim;
        for (int d = 0; d < dim; ++d)
          {
            v[d] += u[node * dim + d] * shapes.value[q * shapes.n + a];
            for (int e = 0; e < dim; ++e)
              J[e][d] += position[a * dim + e] * gradient[d];
          }
      }
    double along = 0, square = 0;
    for (int e = 0; e < dim; ++e)
      {
        along += dot<dim>(J[e], v) * dot<dim>(J[e], v);
        for (int f = 0; f < dim; ++f)
          square += dot<dim>(J[e], J[f]) * dot<dim>(J[e], J[f]);
      }
    for (int d = 0; d < dim; ++d)
      values[d * stride + point] = v[d];
    const double rates           = 4. * along + 72. * diffusion * diffusion * square;
    values[dim * stride + point] = upwind && rates > 0. ? 1. / std::sqrt(rates) : 0.;
    if (rate != nullptr)
      rate[point] = std::sqrt(along) + diffusion * std::sqrt(square);
  }
};

/// Integrates (mass φ_j + u · ∇φ_j) (φ_i + τ u · ∇φ_i) + κ (∇φ_j · ∇φ_i - Δφ_j τ u · ∇φ_i). `flow` has u and τ at the
/// points. Where `lumped`, a cell's mass matrix is diagonal, with the sums of its rows.
template <int dim>
struct HeatKernel
{
  static constexpr int rows = 1, columns = 1;

  double    mass, diffusion;
  bool      lumped;
  PointView flow;

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[1][1]) const
  {
    double change = mass * (!lumped ? at.value_j : at.a == at.b ? 1. : 0.), shift = 0;
    for (int d = 0; d < dim; ++d)
      {
        change += flow(d, at.point) * at.gradient_j[d];
        shift += flow(d, at.point) * at.gradient_i[d];
      }
    shift *= flow(dim, at.point);
    const double conduction = dot<dim>(at.gradient_j, at.gradient_i) - shift * at.laplacian_j;
    local[0][0] += (change * (at.value_i + shift) + diffusion * conduction) * at.JxW;
  }
};

/// HeatKernel, which adds `diagonal` to the diagonal of the first n rows, the rank's own: a mass matrix that is
/// diagonal beside hanging nodes, too. See AssembleBlocks below.
template <int dim>
struct LumpedHeatKernel : HeatKernel<dim>
{
  const double *diagonal;
  int           n;
};

template <int dim>
struct AssembleBlocks<dim, LumpedHeatKernel<dim>>
{
  AssemblyView          A;
  LumpedHeatKernel<dim> kernel;
  double               *values;

  ADAMANT_HOST_DEVICE void operator()(int block) const
  {
    AssembleBlocks<dim, HeatKernel<dim>>{A, kernel, values}(block);
    const int i = A.row[block];
    if (A.column[block] == i && i < kernel.n && A.free_row[i])
      values[A.row_start[i] + (block - A.first_block[i])] += kernel.diagonal[i];
  }
};

/// Computes at a point the integrands of HeatEquation's residual: ρ = dT/dt + u · ∇T - Q, which φ_i multiplies, and
/// κ ∇T + τ (ρ - κ ΔT) u, which ∇φ_i multiplies. They stand one after the other in `integrands`. Where `rate` is null,
/// ρ does without dT/dt. Shapes without Laplacians have ΔT = 0.
template <int dim>
struct HeatResidual
{
  ShapesView    shapes;
  const double *T, *rate, *heating; ///< rate: nodal values of dT/dt; heating: Q at the points
  double        diffusion;
  PointView     flow;
  double       *integrands;
  long          stride;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place   = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    double     density = -heating[point], laplacian = 0;
    double     slope[dim] = {};
    for (int a = 0; a < shapes.n; ++a)
      {
        const long node = shapes.node[static_cast<long>(cell) * shapes.n + a];
        if (rate != nullptr)
          density += rate[node] * shapes.value[q * shapes.n + a];
        for (int d = 0; d < dim; ++d)
          slope[d] += T[node] * shapes.gradient[(place + a) * dim + d];
        if (shapes.laplacian != nullptr)
          laplacian += T[node] * shapes.laplacian[place + a];
      }
    for (int d = 0; d < dim; ++d)
      density += flow(d, point) * slope[d];
    integrands[point] = density;
    for (int d = 0; d < dim; ++d)
      integrands[(d + 1) * stride + point] =
        diffusion * slope[d] + flow(dim, point) * (density - diffusion * laplacian) * flow(d, point);
  }
};

/// Computes the loads ∫ f_0 φ_a + Σ_d f_{d+1} ∂_d φ_a of the nodes of cells, by Device::for_each over cells and their
/// nodes a. `integrands` has f as HeatResidual stores it.
template <int dim>
struct HeatLoads
{
  ShapesView    shapes;
  const double *integrands;
  long          stride;
  double       *loads;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  cell = index / shapes.n, a = index % shapes.n;
    const long shape = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     sum   = 0;
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const long    point    = static_cast<long>(cell) * shapes.n_q + q;
        const double *gradient = shapes.gradient + ((shape + q) * shapes.n + a) * dim;
        double        f        = integrands[point] * shapes.value[q * shapes.n + a];
        for (int d = 0; d < dim; ++d)
          f += integrands[(d + 1) * stride + point] * gradient[d];
        sum += f * shapes.JxW[shape + q];
      }
    loads[index] = sum;
  }
};

/// Computes -∫ T div u over a cell, by Device::for_each over cells; T and u have nodal values.
template <int dim>
struct HeatOfDivergence
{
  ShapesView    of_T, of_u;
  const double *T, *u;
  double       *of_cells;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const int *nodes_T = of_T.node + static_cast<long>(cell) * of_T.n,
              *nodes_u = of_u.node + static_cast<long>(cell) * of_u.n;
    const long shape   = static_cast<long>(of_u.shape[cell]) * of_u.n_q;
    double     sum     = 0;
    for (int q = 0; q < of_u.n_q; ++q)
      {
        const double *gradient   = of_u.gradient + (shape + q) * of_u.n * dim;
        double        divergence = 0, value = 0;
        for (int a = 0; a < of_u.n; ++a)
          {
            value += T[nodes_T[a]] * of_T.value[q * of_T.n + a];
            for (int d = 0; d < dim; ++d)
              divergence += u[static_cast<long>(nodes_u[a]) * dim + d] * gradient[a * dim + d];
          }
        sum -= value * divergence * of_u.JxW[shape + q];
      }
    of_cells[cell] = sum;
  }
};

/// Computes the change of T at nodes with 1 / m = 0, elsewhere zero.
struct PrescribedChange
{
  const double *T, *T_new, *inverse_mass;
  double       *change;

  ADAMANT_HOST_DEVICE void operator()(int i) const { change[i] = inverse_mass[i] == 0. ? T_new[i] - T[i] : 0.; }
};

/// Computes ImplicitDiffusion's right-hand side b = m (T_new - T) / dt from an explicit step T_new, and with `lifts`
/// subtracts what b has had before. Nodes with 1 / m = 0 get zero.
struct DiffusionRhs
{
  double        dt;
  const double *T, *T_new, *inverse_mass;
  bool          lifts;
  double       *b;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const double m = inverse_mass[i];
    b[i]           = m == 0. ? 0. : (T_new[i] - T[i]) / (dt * m) - (lifts ? b[i] : 0.);
  }
};

/// Sets T_new = T + d, but where 1 / m = 0.
struct TakeChange
{
  const double *T, *inverse_mass, *d;
  double       *T_new;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    if (inverse_mass[i] != 0.)
      T_new[i] = T[i] + d[i];
  }
};

/// Replaces the rate |J⁻¹ u| of a point by the cell's Péclet number |u| h/κ with h = |u| / |J⁻¹ u|.
template <int dim>
struct PecletNumber
{
  PointView flow;
  double    diffusion;
  double   *rate;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double square = 0;
    for (int d = 0; d < dim; ++d)
      square += flow(d, point) * flow(d, point);
    if (square > 0.)
      rate[point] = square / (rate[point] * diffusion);
  }
};
} // namespace adamant
