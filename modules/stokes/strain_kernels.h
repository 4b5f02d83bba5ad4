#pragma once

#include "fem/forms/cell_kernel.h"

#include <cmath>

// Functors of flow whose viscosity depends on the strain rate, for host and GPU.

namespace adamant
{
/// The components (0, 0), (0, 1), ... of a symmetric tensor, by rows.
template <int dim>
struct Strain
{
  static constexpr int n = dim * (dim + 1) / 2;
  double               component[n];

  /// Returns ε : δ.
  ADAMANT_HOST_DEVICE double contract(const Strain &other) const
  {
    double sum = 0.;
    for (int c = 0, k = 0; c < dim; ++c)
      for (int d = c; d < dim; ++d, ++k)
        sum += (c == d ? 1. : 2.) * component[k] * other.component[k];
    return sum;
  }
};

/// Strain rates at points: component k at point p is at [k n + p], in memory of the device.
template <int dim>
struct StrainView
{
  double *values;
  long    n;

  ADAMANT_HOST_DEVICE Strain<dim> at(int point) const
  {
    Strain<dim> strain;
    for (int k = 0; k < Strain<dim>::n; ++k)
      strain.component[k] = values[k * n + point];
    return strain;
  }
};

/// Computes ε(u) at a quadrature point from nodal velocities.
template <int dim>
struct StrainOf
{
  ShapesView    shapes;
  const double *u;

  ADAMANT_HOST_DEVICE Strain<dim> at(int point) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place              = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    double     gradient[dim][dim] = {};
    for (int a = 0; a < shapes.n; ++a)
      {
        const long    node   = shapes.node[static_cast<long>(cell) * shapes.n + a];
        const double *grad_a = shapes.gradient + (place + a) * dim;
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            gradient[c][d] += u[node * dim + c] * grad_a[d];
      }
    Strain<dim> strain;
    for (int c = 0, k = 0; c < dim; ++c)
      for (int d = c; d < dim; ++d, ++k)
        strain.component[k] = 0.5 * (gradient[c][d] + gradient[d][c]);
    return strain;
  }
};

/// Computes four integrals over a cell, by Device::for_each over cells: 1, |u|², ρ g · u and 2 η ε(u) : ε(u). The
/// result k is at [k n_cells + cell].
template <int dim>
struct PowerInCell
{
  StrainOf<dim> of;
  const double *density, *viscosity; ///< ρ at the points; η: value p / n counts at point p
  int           n;
  double        gravity[dim];
  long          n_cells;
  double       *integrals;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const ShapesView &shapes  = of.shapes;
    const long        shape   = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double            sums[4] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int point  = cell * shapes.n_q + q;
        double    square = 0., along = 0.;
        for (int d = 0; d < dim; ++d)
          {
            double u = 0.;
            for (int a = 0; a < shapes.n; ++a)
              u += of.u[static_cast<long>(shapes.node[static_cast<long>(cell) * shapes.n + a]) * dim + d] *
                   shapes.value[q * shapes.n + a];
            square += u * u;
            along += gravity[d] * u;
          }
        const Strain<dim> strain = of.at(point);
        const double      JxW    = shapes.JxW[shape + q];
        sums[0] += JxW;
        sums[1] += JxW * square;
        sums[2] += JxW * density[point] * along;
        sums[3] += JxW * 2. * viscosity[point / n] * strain.contract(strain);
      }
    for (int k = 0; k < 4; ++k)
      integrals[k * n_cells + cell] = sums[k];
  }
};

/// Stores ε(u) and |ε| = √(ε : ε), which is at least 1e-10, by Device::for_each over points.
template <int dim>
struct StoreStrain
{
  StrainOf<dim>   of;
  StrainView<dim> strain;
  double         *size;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Strain<dim> now = of.at(point);
    for (int k = 0; k < Strain<dim>::n; ++k)
      strain.values[k * strain.n + point] = now.component[k];
    const double square = now.contract(now);
    size[point]         = square < 1e-20 ? 1e-10 : sqrt(square); // NaN stays
  }
};

/// Computes k = 4 ∂η/∂(ε : ε) (η_c / η)^power / scale, elementwise. The derivative of 2 η_c by u in the direction δ is
/// the mean of k (ε(u) : ε(δ)) over the points of a cell, but for the scale. The average η_c is arithmetic for power 0,
/// geometric for 1, harmonic for 2. The ratio of the tangent viscosity to η is 1 + s η' / η with s = |ε|, η' = ∂η/∂s.
/// Where it is not positive, η' is such that it is 0.1.
struct TangentFactor
{
  const double *eta, *slope, *size; ///< η, η' and s at the points
  const double *average;            ///< η_c: value p / n counts at point p
  int           n, power;
  double        scale;
  double       *k;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const double s = size[point], change = s * slope[point] / eta[point], ratio = average[point / n] / eta[point];
    const double weight = power == 0 ? 1. : power == 1 ? ratio : ratio * ratio;
    k[point]            = 2. * (change > -1. ? change : -0.9) * eta[point] / (s * s) * weight / scale;
  }
};

/// Computes the mean of k (ε : ε(δ)) over groups of n points, which are all points of a cell or single points.
template <int dim>
struct TangentStress
{
  StrainOf<dim>   of; ///< of δ
  StrainView<dim> strain;
  const double   *k;
  int             n;
  double         *mean;

  ADAMANT_HOST_DEVICE void operator()(int group) const
  {
    double sum = 0.;
    for (int point = group * n; point < (group + 1) * n; ++point)
      sum += k[point] * strain.at(point).contract(of.at(point));
    mean[group] = sum / n;
  }
};

/// Computes ∫ m ε : ε(φ_a e_c) over a cell, by Device::for_each over cells and their nodes a; the result is at
/// [(cell n + a) dim + c].
template <int dim>
struct LoadsOfStress
{
  ShapesView      shapes;
  StrainView<dim> strain;
  const double   *m; ///< value p / n counts at point p
  int             n;
  double         *loads;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  cell = index / shapes.n, a = index % shapes.n;
    const long shape    = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     sum[dim] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int         point    = cell * shapes.n_q + q;
        const Strain<dim> at       = strain.at(point);
        const double      weight   = m[point / n] * shapes.JxW[shape + q];
        const double     *gradient = shapes.gradient + ((shape + q) * shapes.n + a) * dim;
        for (int c = 0, k = 0; c < dim; ++c)
          for (int d = c; d < dim; ++d, ++k)
            {
              sum[c] += weight * at.component[k] * gradient[d];
              if (c != d)
                sum[d] += weight * at.component[k] * gradient[c];
            }
      }
    for (int c = 0; c < dim; ++c)
      loads[static_cast<long>(index) * dim + c] = sum[c];
  }
};
} // namespace adamant
