#pragma once

#include "algebra/functors/functor_types.h"
#include "fem/forms/cell_kernel.h"
#include "solid/stored_energy.h"

// Deformation gradients at points, for host and GPU: no function of deal.II is called.

namespace adamant
{
/// Several values at each of n points or cells: value k at i is values[k n + i], in memory of the device.
struct ValuesAt
{
  double *values;
  long    n;

  ADAMANT_HOST_DEVICE double &operator()(int k, int i) const { return values[k * n + i]; }
};

/// Computes I1 and I2 of C, which in two dimensions has the further entry 1 across the plane.
template <int dim>
ADAMANT_HOST_DEVICE void invariants_of(const double (&C)[dim][dim], double &I1, double &I2)
{
  I1             = dim == 2 ? 1. : 0.;
  double squares = I1;
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      {
        squares += C[c][d] * C[c][d];
        I1 += c == d ? C[c][d] : 0.;
      }
  I2 = 0.5 * (I1 * I1 - squares);
}

template <int dim>
ADAMANT_HOST_DEVICE void cofactor_of(const double (&F)[dim][dim], double (&cofactor)[dim][dim])
{
  if constexpr (dim == 2)
    {
      cofactor[0][0] = F[1][1];
      cofactor[0][1] = -F[1][0];
      cofactor[1][0] = -F[0][1];
      cofactor[1][1] = F[0][0];
    }
  else
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
          cofactor[c][d] = F[c1][d1] * F[c2][d2] - F[c1][d2] * F[c2][d1];
        }
}

/// Returns det (I + H) - 1 = tr H + (tr² H - tr H²) / 2 + det H. The difference of the determinant and 1 would lose
/// digits, which large moduli multiply.
template <int dim>
ADAMANT_HOST_DEVICE double determinant_less_one(const double (&H)[dim][dim])
{
  double j = 0.;
  for (int c = 0; c < dim; ++c)
    {
      j += H[c][c];
      for (int d = c + 1; d < dim; ++d)
        j += H[c][c] * H[d][d] - H[c][d] * H[d][c];
    }
  if constexpr (dim == 3)
    for (int d = 0; d < dim; ++d)
      j += H[0][d] * (H[1][(d + 1) % 3] * H[2][(d + 2) % 3] - H[1][(d + 2) % 3] * H[2][(d + 1) % 3]);
  return j;
}

/// What follows from the deformation gradient F = I + ∇u at a point. In two dimensions F has the further entry 1 across
/// the plane (plane strain), which counts in I1 and I2.
template <int dim>
struct Stretch
{
  double F[dim][dim], C[dim][dim], cofactor[dim][dim];
  double I1, I2, j; ///< j = J - 1

  ADAMANT_HOST_DEVICE void complete() ///< computes all from F and j
  {
    cofactor_of(F, cofactor);
    complete_invariants();
  }
  ADAMANT_HOST_DEVICE void complete_invariants() ///< computes C, I1 and I2 from F
  {
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          C[c][d] = 0.;
          for (int e = 0; e < dim; ++e)
            C[c][d] += F[e][c] * F[e][d];
        }
    invariants_of(C, I1, I2);
  }

  /// Computes A_k g for the derivatives A_k of I1, I2, J to F: A_1 = 2 F, A_2 = 2 (I1 F - F C), A_J = cof F.
  ADAMANT_HOST_DEVICE void derivatives(const double *g, double (&along)[3][dim]) const
  {
    double Cg[dim];
    for (int c = 0; c < dim; ++c)
      Cg[c] = dot<dim>(C[c], g);
    for (int c = 0; c < dim; ++c)
      {
        const double Fg = dot<dim>(F[c], g);
        along[0][c]     = 2. * Fg;
        along[1][c]     = 2. * (I1 * Fg - dot<dim>(F[c], Cg));
        along[2][c]     = dot<dim>(cofactor[c], g);
      }
  }
};

/// F and J - 1 at points: entry (c, d) of F is value dim c + d, and J - 1 is value dim².
template <int dim>
struct StretchView
{
  static constexpr int n_values = dim * dim + 1;
  ValuesAt             at;

  ADAMANT_HOST_DEVICE double &j(int point) const { return at(dim * dim, point); }
  ADAMANT_HOST_DEVICE Stretch<dim> operator()(int point) const
  {
    Stretch<dim> stretch = without_invariants(point);
    stretch.complete_invariants();
    return stretch;
  }
  ADAMANT_HOST_DEVICE Stretch<dim> without_invariants(int point) const ///< C, I1 and I2 are not set
  {
    Stretch<dim> stretch = {};
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stretch.F[c][d] = at(dim * c + d, point);
    stretch.j = j(point);
    cofactor_of(stretch.F, stretch.cofactor);
    return stretch;
  }
};

/// Computes ∇u at a quadrature point from nodal values of u.
template <int dim>
struct GradientOf
{
  ShapesView    shapes;
  const double *u;

  ADAMANT_HOST_DEVICE void operator()(int point, double (&gradient)[dim][dim]) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        gradient[c][d] = 0.;
    for (int a = 0; a < shapes.n; ++a)
      {
        const long    node   = shapes.node[static_cast<long>(cell) * shapes.n + a];
        const double *grad_a = shapes.gradient + (place + a) * dim;
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            gradient[c][d] += u[node * dim + c] * grad_a[d];
      }
  }
};

/// Stores F = I + ∇u and J - 1, by Device::for_each over points.
template <int dim>
struct Deformation
{
  GradientOf<dim>  of;
  StretchView<dim> stretch;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double H[dim][dim];
    of(point, H);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stretch.at(dim * c + d, point) = H[c][d] + (c == d ? 1. : 0.);
    stretch.j(point) = determinant_less_one(H);
  }
};

/// Counts numbers that are not above -1, for Device::sums: points where J = 1 + j is not positive.
struct CountInverted
{
  static constexpr int n_sums = 1;
  const double        *j;

  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<1> operator()(int i, Nothing) const { return {{j[i] > -1. ? 0. : 1.}}; }
};

/// Counts what is no number, or infinite, for Device::sums.
struct CountNoNumbers
{
  static constexpr int n_sums = 1;
  const double        *values;

  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<1> operator()(int i, Nothing) const { return {{values[i] - values[i] == 0. ? 0. : 1.}}; }
};

/// Returns the ten values at i in the order of EnergyDerivatives.
ADAMANT_HOST_DEVICE inline EnergyDerivatives energy_at(const ValuesAt &values, int i)
{
  return {values(0, i),
          {values(1, i), values(2, i), values(3, i)},
          {values(4, i), values(5, i), values(6, i), values(7, i), values(8, i), values(9, i)}};
}

/// The energies of a level's cells. Expressions have their values in arrays, see LevelEnergies.
struct EnergyOfCells
{
  const StoredEnergy *energies;
  const int          *of_cell; ///< the number of each cell's energy
  ValuesAt            W, U;    ///< value and derivatives in their order; U is at points or cells

  ADAMANT_HOST_DEVICE EnergyDerivatives shape(int cell, int point, double I1, double I2, double j) const
  {
    const StoredEnergy &of = energies[of_cell[cell]];
    return of.is_expression() ? energy_at(W, point) : of.shape(I1, I2, j);
  }
  /// Returns U and its derivatives at J = 1 + j, for the point or cell `place` in a cell.
  ADAMANT_HOST_DEVICE VolumetricEnergy volumetric(int cell, int place, double j) const
  {
    const StoredEnergy &of = energies[of_cell[cell]];
    return of.is_expression() ? VolumetricEnergy{U(0, place), U(1, place), U(2, place)} : of.volumetric(j);
  }
};
} // namespace adamant
