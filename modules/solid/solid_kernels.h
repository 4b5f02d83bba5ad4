#pragma once

#include "solid/dilatation_kernels.h"
#include "solid/inertia_kernels.h"
#include "solid/pressure_kernels.h"
#include "solid/stretch.h"

// Functors of stresses and tangents of solids at finite deformation, for host and GPU: they call no function of
// deal.II.

namespace adamant
{
/// The part of a tangent that comes from U: a pressure p = U' or a projection of it, and U''.
struct PressureView
{
  const double *p, *dilatation; ///< dilatation: J - 1 for U''; null: no U''. p null: both from J at the point
  int           n;              ///< value i / n counts at point i
};

/// Computes the derivatives of W + U to the invariants at points, as nine values, by Device::for_each over points.
template <int dim>
struct Moduli
{
  StretchView<dim> stretch;
  EnergyOfCells    energy;
  PressureView     pressure;
  int              n_q;
  ValuesAt         moduli;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at   = stretch(point);
    const int          cell = point / n_q, place = point / pressure.n;
    EnergyDerivatives  W = energy.shape(cell, point, at.I1, at.I2, at.j);
    if (pressure.p == nullptr)
      W += energy.volumetric(cell, place, at.j);
    else
      {
        W.first[2] += pressure.p[place];
        if (pressure.dilatation != nullptr)
          W.second[5] += energy.volumetric(cell, place, pressure.dilatation[place]).second;
      }
    for (int k = 0; k < 3; ++k)
      moduli(k, point) = W.first[k];
    for (int k = 0; k < 6; ++k)
      moduli(3 + k, point) = W.second[k];
  }
};

/// Computes the means of U' and of J - 1 over cells, by Device::for_each over cells.
struct MeansInCells
{
  ShapesView    shapes;
  const double *j;
  EnergyOfCells energy;
  double       *pressure, *dilatation;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const long shape   = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     sums[3] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int    point  = cell * shapes.n_q + q;
        const double weight = shapes.JxW[shape + q];
        sums[0] += weight;
        sums[1] += weight * energy.volumetric(cell, point, j[point]).first;
        sums[2] += weight * j[point];
      }
    pressure[cell]   = sums[1] / sums[0];
    dilatation[cell] = sums[2] / sums[0];
  }
};

/// Stores the first Piola-Kirchhoff stress P = Σ_k W_k A_k, by Device::for_each over points; entry (c, d) is value
/// dim c + d.
template <int dim>
struct Stress
{
  StretchView<dim> stretch;
  ValuesAt         moduli, stress;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at = stretch(point);
    for (int d = 0; d < dim; ++d)
      {
        double unit[dim] = {}, along[3][dim];
        unit[d]          = 1.;
        at.derivatives(unit, along);
        for (int c = 0; c < dim; ++c)
          stress(dim * c + d, point) =
            moduli(0, point) * along[0][c] + moduli(1, point) * along[1][c] + moduli(2, point) * along[2][c];
      }
  }
};

/// Computes ∫ P ∇φ_a + φ_a b over a cell for a stress P and a force b at points, plus ∫ φ_a t over its faces under
/// pressure for tractions t. It is for Device::for_each over cells and their nodes a. Component c of the result is at [(cell n + a) dim + c].
template <int dim>
struct Forces
{
  ShapesView            shapes;
  ValuesAt              stress;
  ValuesAt              inertia; ///< null where there is no such force
  PressedFacesView<dim> faces;
  ValuesAt              tractions; ///< or their change
  double               *forces;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  cell = index / shapes.n, a = index % shapes.n;
    const long shape    = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     sum[dim] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const double  weight   = shapes.JxW[shape + q];
        const double *gradient = shapes.gradient + ((shape + q) * shapes.n + a) * dim;
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            sum[c] += weight * stress(dim * c + d, cell * shapes.n_q + q) * gradient[d];
        if (inertia.values != nullptr)
          for (int c = 0; c < dim; ++c)
            sum[c] += weight * shapes.value[q * shapes.n + a] * inertia(c, cell * shapes.n_q + q);
      }
    faces.add_forces(cell, a, tractions, sum);
    for (int c = 0; c < dim; ++c)
      forces[static_cast<long>(index) * dim + c] = sum[c];
  }
};

/// Computes entry (c, d) of the second derivative of an energy in the directions e_c ⊗ g and e_d ⊗ h of F: with
/// b = F Fᵀ,
/// ```
///   2 W_1 (g·h) I + 2 W_2 [2 Fg⊗Fh - Fh⊗Fg + (I1 g·h - Fg·Fh) I - (g·h) b]
///   + W_J / J [A_J g ⊗ A_J h - A_J h ⊗ A_J g] + Σ_kl W_kl A_k g ⊗ A_l h.
/// ```
template <int dim>
ADAMANT_HOST_DEVICE void add_tangent(const Stretch<dim> &at, const ValuesAt &moduli, int point, double weight,
                                     const double *g, const double *h, double (&local)[dim][dim])
{
  double of_g[3][dim], of_h[3][dim];
  at.derivatives(g, of_g);
  at.derivatives(h, of_h);
  const double gh = dot<dim>(g, h), FgFh = 0.25 * dot<dim>(of_g[0], of_h[0]);
  const double two_1 = 2. * weight * moduli(0, point), two_2 = 2. * weight * moduli(1, point),
               skew = weight * moduli(2, point) / (1. + at.j), same = two_1 * gh + two_2 * (at.I1 * gh - FgFh);
  double second[6];
  for (int k = 0; k < 6; ++k)
    second[k] = weight * moduli(3 + k, point);
  for (int c = 0; c < dim; ++c)
    {
      const double g1 = of_g[0][c], g2 = of_g[1][c], g3 = of_g[2][c];
      const double to_1 = second[0] * g1 + second[1] * g2 + second[2] * g3,
                   to_2 = second[1] * g1 + second[3] * g2 + second[4] * g3,
                   to_J = second[2] * g1 + second[4] * g2 + second[5] * g3 + skew * g3;
      for (int d = 0; d < dim; ++d)
        local[c][d] +=
          to_1 * of_h[0][d] + to_2 * of_h[1][d] + to_J * of_h[2][d] - skew * of_h[2][c] * of_g[2][d] +
          two_2 * (0.5 * g1 * of_h[0][d] - 0.25 * of_h[0][c] * of_g[0][d] - gh * dot<dim>(at.F[c], at.F[d]));
      local[c][c] += same;
    }
}

/// Integrates the tangent, for AssembleBlocks.
template <int dim>
struct Tangent
{
  static constexpr int  rows = dim, columns = dim;
  StretchView<dim>      stretch;
  ValuesAt              moduli;
  DilatationTerm        dilatation;
  InertiaTerm           inertia;
  PressedFacesView<dim> faces;
  int                   n_q, n_nodes; ///< of a cell

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    add_tangent<dim>(stretch(at.point), moduli, at.point, at.JxW, at.gradient_i, at.gradient_j, local);
    inertia.add_tangent(at, local);
    if (at.point % n_q != 0)
      return;
    faces.add_tangent(at.cell, at.a, at.b, local);
    const int     n = dilatation.n;
    const double *S = dilatation.S + static_cast<long>(at.cell) * n * n;
    const double *D = dilatation.D + static_cast<long>(at.cell) * n_nodes * n * dim;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l)
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            local[c][d] += S[k * n + l] * D[(at.a * n + k) * dim + c] * D[(at.b * n + l) * dim + d];
  }
};

/// Stores (∂P/∂F) : ∇δ + q cof F, the change of the stress for a displacement that changes by δ. It is for
/// Device::for_each over points. q is a pressure at points; null: 0.
template <int dim>
struct StressChange
{
  GradientOf<dim>  of;
  StretchView<dim> stretch;
  ValuesAt         moduli;
  const double    *q;
  ValuesAt         stress;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const Stretch<dim> at = stretch(point);
    double             H[dim][dim];
    of(point, H);
    for (int e = 0; e < dim; ++e)
      {
        double unit[dim] = {}, sum[dim] = {};
        unit[e] = 1.;
        for (int f = 0; f < dim; ++f)
          {
            double other[dim] = {}, local[dim][dim] = {};
            other[f] = 1.;
            add_tangent<dim>(at, moduli, point, 1., unit, other, local);
            for (int c = 0; c < dim; ++c)
              for (int d = 0; d < dim; ++d)
                sum[c] += local[c][d] * H[d][f];
          }
        for (int c = 0; c < dim; ++c)
          stress(dim * c + e, point) = sum[c] + (q == nullptr ? 0. : q[point] * at.cofactor[c][e]);
      }
  }
};

/// Computes four numbers of each cell, by Device::for_each over cells: its energy, its volume now, and the least and
/// largest J - 1 at its points.
template <int dim>
struct ResultsInCells
{
  ShapesView       shapes;
  StretchView<dim> stretch;
  EnergyOfCells    energy;
  const double    *dilatation; ///< at points, for U; null: it is J - 1
  ValuesAt         results;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const long shape   = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double     sums[2] = {}, least = 1e300, most = -1.;
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int          point  = cell * shapes.n_q + q;
        const Stretch<dim> at     = stretch(point);
        const double       weight = shapes.JxW[shape + q], theta = dilatation == nullptr ? at.j : dilatation[point];
        sums[0] +=
          weight * (energy.shape(cell, point, at.I1, at.I2, at.j).value + energy.volumetric(cell, point, theta).value);
        sums[1] += weight * (1. + at.j);
        least = at.j < least ? at.j : least;
        most  = at.j > most ? at.j : most;
      }
    results(0, cell) = sums[0];
    results(1, cell) = sums[1];
    results(2, cell) = least;
    results(3, cell) = most;
  }
};
} // namespace adamant
