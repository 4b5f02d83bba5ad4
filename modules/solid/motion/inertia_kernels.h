#pragma once

#include "solid/stretch.h"

// Functors of a body's inertia and motion, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// The forces ρ c (u - center) by undeformed volume, which tie a body to the place `center` of its points.
struct InertiaTerm
{
  double        c;       ///< 0: there are none
  const double *density; ///< ρ in each cell; null: 1

  ADAMANT_HOST_DEVICE double factor(int cell) const { return density == nullptr ? c : c * density[cell]; } ///< ρ c
};

/// Stores c (u - center) at points, times ρ where it is given, by Device::for_each over points.
template <int dim>
struct ValuesOfNodes
{
  ShapesView    shapes;
  const double *u; ///< nodal values
  InertiaTerm   term;
  ValuesAt      center, values; ///< center: null where it is 0

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    double     sum[dim] = {};
    const auto place    = static_cast<long>(cell) * shapes.n;
    for (int a = 0; a < shapes.n; ++a)
      for (int c = 0; c < dim; ++c)
        sum[c] += shapes.value[q * shapes.n + a] * u[static_cast<long>(shapes.node[place + a]) * dim + c];
    const double factor = term.factor(cell);
    for (int c = 0; c < dim; ++c)
      values(c, point) = factor * (center.values == nullptr ? sum[c] : sum[c] - center(c, point));
  }
};

/// Computes seven numbers of each cell, by Device::for_each over cells: its kinetic energy, its momentum and its
/// angular momentum about the origin. In two dimensions both have three components, too.
template <int dim>
struct MotionInCells
{
  ShapesView    shapes;
  const double *density;
  ValuesAt      X, u, v; ///< at points
  ValuesAt      results;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    double sums[7] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int    point = cell * shapes.n_q + q;
        const double mass  = density[cell] * shapes.JxW[static_cast<long>(shapes.shape[cell]) * shapes.n_q + q];
        double       x[3] = {}, p[3] = {};
        for (int d = 0; d < dim; ++d)
          {
            x[d] = X(d, point) + u(d, point);
            p[d] = mass * v(d, point);
            sums[0] += 0.5 * p[d] * v(d, point);
          }
        for (int d = 0; d < 3; ++d)
          {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            sums[1 + d] += p[d];
            sums[4 + d] += x[e] * p[f] - x[f] * p[e];
          }
      }
    for (int k = 0; k < 7; ++k)
      results(k, cell) = sums[k];
  }
};
} // namespace adamant
