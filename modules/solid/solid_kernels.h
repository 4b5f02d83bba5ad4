#pragma once

#include "solid/dilatation_kernels.h"
#include "solid/motion/inertia_kernels.h"
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

/// Computes the derivatives of W + U to the invariants at points, as nine values, by Device::for_each over points. In
/// the place of W_1 stands 2 W_1 + 4 W_2 + W_J, as small strains have it.
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
    EnergyDerivatives  W = energy.shape(cell, point, at.invariants());
    if (pressure.p == nullptr)
      W += energy.volumetric(cell, place, at.j);
    else
      {
        W += VolumetricEnergy{0., pressure.p[place], 0.};
        if (pressure.dilatation != nullptr)
          W.second[5] += energy.volumetric(cell, place, pressure.dilatation[place]).second;
      }
    moduli(0, point) = W.stress;
    for (int k = 1; k < 3; ++k)
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

/// Computes the mean of value k of the deformations over cells, by Device::for_each over cells.
template <int dim>
struct MeanDeformation
{
  ShapesView       shapes;
  StretchView<dim> stretch;
  int              k;
  double          *mean;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double *weight = shapes.JxW + static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double        volume = 0., sum = 0.;
    for (int q = 0; q < shapes.n_q; ++q)
      {
        volume += weight[q];
        sum += weight[q] * stretch.at(k, cell * shapes.n_q + q);
      }
    mean[cell] = sum / volume;
  }
};

/// Gives a cell with det F <= 0 at a point these means of ∇u and of J - 1 at all its points, by Device::for_each over
/// cells.
template <int dim>
struct ReplaceInverted
{
  int              n_q;
  ValuesAt         mean;
  const double    *dilatation;
  StretchView<dim> stretch;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    bool inverted = false;
    for (int q = 0; q < n_q; ++q)
      inverted = inverted || !(stretch.j(cell * n_q + q) > -1.);
    for (int q = 0; inverted && q < n_q; ++q)
      {
        for (int k = 0; k < dim * dim; ++k)
          stretch.at(k, cell * n_q + q) = mean(k, cell);
        stretch.j(cell * n_q + q) = dilatation[cell];
      }
  }
};

/// Stores the first Piola-Kirchhoff stress P, by Device::for_each over points; entry (c, d) is value dim c + d.
template <int dim>
struct Stress
{
  StretchView<dim> stretch;
  ValuesAt         moduli, stress;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double P[dim][dim];
    stretch(point).piola(moduli(0, point), moduli(1, point), moduli(2, point), P);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stress(dim * c + d, point) = P[c][d];
  }
};

/// Computes ∫ P ∇φ_a + φ_a b over a cell for a stress P and a force b at points, plus ∫ φ_a t over its faces under
/// pressure for tractions t. It is for Device::for_each over cells and their nodes a. Component c of the result is at
/// [(cell n + a) dim + c].
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

/// Adds to Y what comes from W_2 and W_2k = W[1], W[4], W[6], W[7], for row_of_tangent; Fg = F g and gJ = A_J g.
template <int c, int dim>
ADAMANT_HOST_DEVICE void add_second_invariant(const Stretch<dim> &at, const double (&W)[9], const double *g,
                                              const double (&Fg)[dim], const double (&gJ)[dim], double (&Y)[dim][dim])
{
  double C[dim][dim], Cg[dim], I1 = dim == 2 ? 1. : 0.;
  for (int d = 0; d < dim; ++d)
    for (int f = 0; f < dim; ++f)
      {
        C[d][f] = 0.;
        for (int e = 0; e < dim; ++e)
          C[d][f] += at.F[e][d] * at.F[e][f];
        I1 += d == f ? C[d][f] : 0.;
      }
  for (int f = 0; f < dim; ++f)
    Cg[f] = dot<dim>(C[f], g);
  const double g2 = 2. * (I1 * Fg[c] - dot<dim>(at.F[c], Cg)), two_2 = 2. * W[1],
               to_1 = 2. * (W[4] * g2 + two_2 * Fg[c]), to_2 = 2. * W[4] * Fg[c] + W[6] * g2 + W[7] * gJ[c],
               to_J = W[7] * g2;
  for (int d = 0; d < dim; ++d)
    {
      const double b = two_2 * dot<dim>(at.F[c], at.F[d]);
      for (int f = 0; f < dim; ++f)
        Y[d][f] += to_1 * at.F[d][f] + to_2 * 2. * (I1 * at.F[d][f] - dot<dim>(at.F[d], C[f])) +
                   to_J * at.cofactor[d][f] - two_2 * Fg[d] * at.F[c][f] - b * g[f];
    }
  for (int f = 0; f < dim; ++f)
    Y[c][f] += two_2 * (I1 * g[f] - Cg[f]);
}

/// Computes row c of an energy's second derivative in the directions e_c ⊗ g and e_d ⊗ h of F, times a weight. Its
/// entry (c, d) is Σ_f Y[d][f] h[f], of
/// ```
///   2 W_1 (g·h) I + 2 W_2 [2 Fg⊗Fh - Fh⊗Fg + (I1 g·h - Fg·Fh) I - (g·h) F Fᵀ]
///   + W_J / J [A_J g ⊗ A_J h - A_J h ⊗ A_J g] + Σ_kl W_kl A_k g ⊗ A_l h.
/// ```
/// with A_1 = 2 F, A_2 = 2 (I1 F - F C), A_J = cof F. `at` needs no G.
template <int c, int dim>
ADAMANT_HOST_DEVICE void row_of_tangent(const Stretch<dim> &at, const ValuesAt &moduli, int point, double weight,
                                        const double *g, double (&Y)[dim][dim])
{
  double W[9], Fg[dim], gJ[dim];
  for (int k = 0; k < 9; ++k)
    W[k] = weight * moduli(k, point);
  for (int d = 0; d < dim; ++d)
    {
      Fg[d] = dot<dim>(at.F[d], g);
      gJ[d] = dot<dim>(at.cofactor[d], g);
    }
  const double skew = W[2] / (1. + at.j), to_1 = 4. * W[3] * Fg[c] + 2. * W[5] * gJ[c],
               to_J = 2. * W[5] * Fg[c] + (W[8] + skew) * gJ[c];
  for (int d = 0; d < dim; ++d)
    for (int f = 0; f < dim; ++f)
      Y[d][f] = to_1 * at.F[d][f] + to_J * at.cofactor[d][f] - skew * gJ[d] * at.cofactor[c][f];
  for (int f = 0; f < dim; ++f)
    Y[c][f] += (W[0] - 4. * W[1] - W[2]) * g[f]; // 2 W_1
  if (W[1] != 0. || W[4] != 0. || W[6] != 0. || W[7] != 0.)
    add_second_invariant<c>(at, W, g, Fg, gJ, Y);
}

/// Computes the tangents of cells as LocalMatrices, by Device::for_each over n_threads(). A thread has row c of node a
/// of a cell, and up to `tile` nodes b, which share the work of the row. The form then adds the matrices up.
template <int dim>
struct LocalTangents
{
  static constexpr int  tile     = 9;  // more do not fit into a thread's registers
  static constexpr int  together = 32; // threads of a GPU that take the same branch
  ShapesView            shapes;
  StretchView<dim>      stretch;
  ValuesAt              moduli;
  DilatationTerm        dilatation;
  InertiaTerm           inertia;
  PressedFacesView<dim> faces;
  int                   n_cells;
  double               *matrices;

  ADAMANT_HOST_DEVICE int n_tiles() const { return (shapes.n + tile - 1) / tile; }
  ADAMANT_HOST_DEVICE int n_rows() const { return n_cells * shapes.n * n_tiles(); } ///< for each component
  std::size_t             n_threads() const
  {
    return static_cast<std::size_t>(dim) * ((n_rows() + together - 1) / together) * together;
  }

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int c = index / together % dim, row = index / together / dim * together + index % together;
    if (row >= n_rows())
      return;
    if (c == 0)
      store_row<0>(row);
    else if (c == 1)
      store_row<1>(row);
    else
      store_row<dim - 1>(row);
  }

private:
  template <int c>
  ADAMANT_HOST_DEVICE void store_row(int index) const
  {
    const int n = shapes.n, cell = index / n_tiles() / n, a = index / n_tiles() % n, first = index % n_tiles() * tile;
    const int m                = n - first < tile ? n - first : tile;
    double    local[tile][dim] = {};
    for (int q = 0; q < shapes.n_q; ++q)
      add_point<c>(cell, q, a, first, m, local);
    double *stored = matrices + (static_cast<long>(cell) * n * n + a * n + first) * (dim * dim) + c * dim;
#pragma unroll
    for (int k = 0; k < tile; ++k)
      if (k < m)
        {
          faces.template add_tangent<c>(cell, a, first + k, local[k]);
          dilatation.add_tangent(cell, n, a, first + k, c, local[k]);
          for (int d = 0; d < dim; ++d)
            stored[k * dim * dim + d] = local[k][d];
        }
  }

  template <int c>
  ADAMANT_HOST_DEVICE void add_point(int cell, int q, int a, int first, int m, double (&local)[tile][dim]) const
  {
    const long    place    = static_cast<long>(shapes.shape[cell]) * shapes.n_q + q;
    const int     point    = cell * shapes.n_q + q;
    const double *gradient = shapes.gradient + place * shapes.n * dim;
    double        Y[dim][dim];
    row_of_tangent<c>(stretch.without_strain(point), moduli, point, shapes.JxW[place], gradient + a * dim, Y);
    const double *value    = shapes.value + q * shapes.n;
    const double  of_value = inertia.factor(cell) * shapes.JxW[place] * value[a];
#pragma unroll
    for (int k = 0; k < tile; ++k)
      if (k < m)
        {
          for (int d = 0; d < dim; ++d)
            local[k][d] += dot<dim>(Y[d], gradient + (first + k) * dim);
          local[k][c] += of_value * value[first + k];
        }
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
    const Stretch<dim> at = stretch.without_strain(point);
    double             H[dim][dim];
    of(point, H);
    store_row<0>(at, H, point);
    store_row<1>(at, H, point);
    if constexpr (dim == 3)
      store_row<2>(at, H, point);
  }

private:
  template <int c>
  ADAMANT_HOST_DEVICE void store_row(const Stretch<dim> &at, const double (&H)[dim][dim], int point) const
  {
    for (int e = 0; e < dim; ++e)
      {
        double unit[dim] = {}, Y[dim][dim], sum = q == nullptr ? 0. : q[point] * at.cofactor[c][e];
        unit[e] = 1.;
        row_of_tangent<c>(at, moduli, point, 1., unit, Y);
        for (int d = 0; d < dim; ++d)
          sum += dot<dim>(Y[d], H[d]);
        stress(dim * c + e, point) = sum;
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
          weight * (energy.shape(cell, point, at.invariants()).value + energy.volumetric(cell, point, theta).value);
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
