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

template <int dim>
ADAMANT_HOST_DEVICE double trace_of(const double (&H)[dim][dim])
{
  return dim == 2 ? H[0][0] + H[1][1] : H[0][0] + H[1][1] + H[dim - 1][dim - 1];
}

template <int dim>
ADAMANT_HOST_DEVICE double determinant_of(const double (&H)[dim][dim])
{
  if constexpr (dim == 2)
    return H[0][0] * H[1][1] - H[0][1] * H[1][0];
  else
    return H[0][0] * (H[1][1] * H[2][2] - H[1][2] * H[2][1]) + H[0][1] * (H[1][2] * H[2][0] - H[1][0] * H[2][2]) +
           H[0][2] * (H[1][0] * H[2][1] - H[1][1] * H[2][0]);
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
  return dim == 3 ? j + determinant_of(H) : j;
}

/// Computes G = C - I = H + Hᵀ + Hᵀ H for F = I + H.
template <int dim>
ADAMANT_HOST_DEVICE void strain_of(const double (&H)[dim][dim], double (&G)[dim][dim])
{
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      {
        G[c][d] = H[c][d] + H[d][c];
        for (int e = 0; e < dim; ++e)
          G[c][d] += H[e][c] * H[e][d];
      }
}

/// Returns the invariants of G = C - I, which in two dimensions has a further row 0 across the plane.
template <int dim>
ADAMANT_HOST_DEVICE Invariants invariants_of(const double (&G)[dim][dim], double j)
{
  const double trace = trace_of(G), mean = trace / 3.;
  double       D[dim][dim], squares      = dim == 2 ? mean * mean : 0.;
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      {
        D[c][d] = c == d ? G[c][d] - mean : G[c][d];
        squares += D[c][d] * D[c][d];
      }
  return {trace, 0.5 * squares, dim == 2 ? -mean * determinant_of(D) : determinant_of(D), j};
}

/// What follows from H = ∇u at a point. The deformation gradient is F = I + H; small strains lose no digits by H. In
/// two dimensions F has the further entry 1 across the plane (plane strain).
template <int dim>
struct Stretch
{
  double H[dim][dim], F[dim][dim], cofactor[dim][dim]; ///< cofactor: of F
  double j;                                            ///< J - 1
  double G[dim][dim];                                  ///< C - I

  ADAMANT_HOST_DEVICE void complete() ///< computes F and its cofactor from H
  {
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        F[c][d] = c == d ? H[c][d] + 1. : H[c][d];
    cofactor_of(F, cofactor);
  }
  ADAMANT_HOST_DEVICE Invariants invariants() const { return invariants_of(G, j); }

  /// Computes P = `stress` F + W_2 2 (tr G F - F G) + W_J (cof F - F), where stress = 2 W_1 + 4 W_2 + W_J. The factors
  /// are derivatives to (I1 - 3) / 2 and to I2 - 3 - 2 (I1 - 3) and J - 1 - (I1 - 3) / 2, of which the last two are of
  /// second order in H: at small strains no terms cancel.
  ADAMANT_HOST_DEVICE void piola(double stress, double W_2, double W_J, double (&P)[dim][dim]) const
  {
    const double of_F = stress + 2. * W_2 * trace_of(G), trace = trace_of(H);
    double       of_H[dim][dim] = {};
    if constexpr (dim == 3)
      cofactor_of(H, of_H);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        P[c][d] = of_F * F[c][d] - 2. * W_2 * dot<dim>(F[c], G[d]) +
                  W_J * ((c == d ? trace : 0.) - H[c][d] - H[d][c] + of_H[c][d]);
  }
};

/// ∇u and J - 1 at points: entry (c, d) of ∇u is value dim c + d, and J - 1 is value dim².
template <int dim>
struct StretchView
{
  static constexpr int n_values = dim * dim + 1;
  ValuesAt             at;

  ADAMANT_HOST_DEVICE double &j(int point) const { return at(dim * dim, point); }
  ADAMANT_HOST_DEVICE Stretch<dim> operator()(int point) const
  {
    Stretch<dim> stretch = without_strain(point);
    strain_of(stretch.H, stretch.G);
    return stretch;
  }
  ADAMANT_HOST_DEVICE Stretch<dim> without_strain(int point) const ///< G is not set
  {
    Stretch<dim> stretch = {};
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stretch.H[c][d] = at(dim * c + d, point);
    stretch.j = j(point);
    stretch.complete();
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

/// Stores ∇u and J - 1, by Device::for_each over points.
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
        stretch.at(dim * c + d, point) = H[c][d];
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

/// Returns the ten values of an energy's texts at i, in the order of EnergyDerivatives.
ADAMANT_HOST_DEVICE inline EnergyDerivatives energy_at(const ValuesAt &values, int i)
{
  return {values(0, i),
          {values(1, i), values(2, i), values(3, i)},
          {values(4, i), values(5, i), values(6, i), values(7, i), values(8, i), values(9, i)},
          2. * values(1, i) + 4. * values(2, i) + values(3, i)};
}

/// The energies of a level's cells. Expressions have their values in arrays, see LevelEnergies.
struct EnergyOfCells
{
  const StoredEnergy *energies;
  const int          *of_cell; ///< the number of each cell's energy
  ValuesAt            W, U;    ///< value and derivatives in their order, then `stress`; U is at points or cells

  ADAMANT_HOST_DEVICE EnergyDerivatives shape(int cell, int point, const Invariants &at) const
  {
    const StoredEnergy &of = energies[of_cell[cell]];
    if (!of.is_expression())
      return of.shape(at);
    EnergyDerivatives stored = energy_at(W, point);
    stored.stress            = W(10, point);
    return stored;
  }
  /// Returns U and its derivatives at J = 1 + j, for the point or cell `place` in a cell.
  ADAMANT_HOST_DEVICE VolumetricEnergy volumetric(int cell, int place, double j) const
  {
    const StoredEnergy &of = energies[of_cell[cell]];
    return of.is_expression() ? VolumetricEnergy{U(0, place), U(1, place), U(2, place)} : of.volumetric(j);
  }
};
} // namespace adamant
