#pragma once

#include "solid/motion/inertia_kernels.h"
#include "solid/pressure_kernels.h"
#include "solid/stretch.h"

// Functors of stresses that conserve the energy of a time step, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// An energy and its derivative to C, for a strain C - I.
template <int dim>
struct EnergyOfStrain
{
  double            C[dim][dim], cofactor[dim][dim], I1, j;
  EnergyDerivatives W;
  double            G[dim][dim]; ///< ∂W/∂C = W_1 I + W_2 (I1 I - C) + W_J cof C / (2 J), as Stretch::piola has it

  ADAMANT_HOST_DEVICE EnergyOfStrain(const StoredEnergy &energy, const double (&strain)[dim][dim])
  {
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        C[c][d] = strain[c][d] + (c == d ? 1. : 0.);
    cofactor_of(C, cofactor);
    const double square         = determinant_less_one(strain); // J² - 1, which has few digits of a small J
    j                           = square < -0.5 ? sqrt(determinant_of(C)) - 1. : square / (1. + sqrt(1. + square));
    const Invariants invariants = invariants_of(strain, j);
    I1                          = invariants.I1();
    W                           = energy.shape(invariants);
    W += energy.volumetric(j);
    const double to_J = W.first[2] / (1. + j), left = 2. * W.first[1] + to_J;
    double       of_strain[dim][dim] = {};
    if constexpr (dim == 3)
      cofactor_of(strain, of_strain);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        G[c][d] = 0.5 * ((c == d ? W.stress - to_J * j + left * invariants.trace : 0.) - left * strain[c][d] +
                         to_J * of_strain[c][d]);
  }

  /// Computes the change of ∂W/∂C for a symmetric change B of C.
  ADAMANT_HOST_DEVICE void change(const double (&B)[dim][dim], double (&dG)[dim][dim]) const
  {
    const double J        = 1. + j;
    double       along[3] = {}; // of I1, I2, J
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          along[0] += c == d ? B[c][c] : 0.;
          along[1] -= C[c][d] * B[c][d];
          along[2] += cofactor[c][d] * B[c][d] / (2. * J);
        }
    along[1] += I1 * along[0];
    const double *s           = W.second;
    const double  to[3]       = {s[0] * along[0] + s[1] * along[1] + s[2] * along[2],
                                 s[1] * along[0] + s[3] * along[1] + s[4] * along[2],
                                 s[2] * along[0] + s[4] * along[1] + s[5] * along[2]};
    const double  diagonal    = to[0] + to[1] * I1 + W.first[1] * along[0];
    const double  of_cofactor = (to[2] + W.first[2] * along[2] / J) / (2. * J), twice = W.first[2] / (2. * J * J * J);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          double product = 0.; // cof C B cof C
          for (int e = 0; e < dim; ++e)
            for (int f = 0; f < dim; ++f)
              product += cofactor[c][e] * B[e][f] * cofactor[f][d];
          dG[c][d] = (c == d ? diagonal : 0.) - to[1] * C[c][d] - W.first[1] * B[c][d] + of_cofactor * cofactor[c][d] -
                     twice * product;
        }
  }
};

template <int dim>
ADAMANT_HOST_DEVICE double product_of(const double (&A)[dim][dim], const double (&B)[dim][dim])
{
  double sum = 0.;
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      sum += A[c][d] * B[c][d];
  return sum;
}

/// The stress of a time step from F0 to F1, of which F = (F0 + F1) / 2 is given: P = F S with
/// ```
///   S = 2 G + 2 κ D,   κ = (W(C1) - W(C0) - G : D) / (D : D),   D = C1 - C0,   G = ∂W/∂C at (C0 + C1) / 2.
/// ```
/// Its work is the change of the energy, S : D / 2 = W(C1) - W(C0), and S is symmetric (Gonzalez 2000). Energies that
/// are quadratic in C have κ = 0, and S is the mean of both stresses (Simo & Tarnow 1992).
template <int dim>
struct ConservingPoint
{
  double              F[dim][dim], end[dim][dim], D[dim][dim], S[dim][dim]; ///< end: F1
  double              kappa = 0., squares = 0., j; ///< squares: D : D where κ counts; j: det F1 - 1
  const StoredEnergy &energy;
  double              strain[2][dim][dim], middle[dim][dim]; // C - I
  EnergyOfStrain<dim> W;

  ADAMANT_HOST_DEVICE ConservingPoint(const StoredEnergy &energy, const Stretch<dim> &at, const Stretch<dim> &former)
    : energy(energy)
    , W(energy, set_strains(at, former))
  {
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        S[c][d] = 2. * W.G[c][d];
    squares              = product_of<dim>(D, D);
    const double to_size = relative_squares();
    if (energy.kind == StoredEnergy::st_venant_kirchhoff || to_size < 1e-16 * fmin(1., product_of<dim>(middle, middle)))
      squares = 0.; // κ D is then below rounding
    if (squares == 0.)
      return;
    kappa = excess(to_size > 1e-4) / squares;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        S[c][d] += 2. * kappa * D[c][d];
  }

  ADAMANT_HOST_DEVICE double stress(int c, int d) const
  {
    double sum = 0.;
    for (int e = 0; e < dim; ++e)
      sum += F[c][e] * S[e][d];
    return sum;
  }

  /// Computes the change of P for a change of F by e_d ⊗ e_f.
  ADAMANT_HOST_DEVICE void change(int d, int f, double (&dP)[dim][dim]) const
  {
    double B[dim][dim] = {}, dS[dim][dim]; // of C1; F1 changes by twice as much
    for (int c = 0; c < dim; ++c)
      {
        B[f][c] += 2. * end[d][c];
        B[c][f] += 2. * end[d][c];
      }
    W.change(B, dS); // twice the change of G, whose C changes by half of B
    if (squares > 0.)
      {
        const EnergyOfStrain<dim> last(energy, strain[1]);
        const double along   = product_of<dim>(last.G, B) - product_of<dim>(W.G, B) - 0.5 * product_of<dim>(dS, D);
        const double d_kappa = (along - 2. * kappa * product_of<dim>(D, B)) / squares;
        for (int c = 0; c < dim; ++c)
          for (int e = 0; e < dim; ++e)
            dS[c][e] += 2. * d_kappa * D[c][e] + 2. * kappa * B[c][e];
      }
    for (int c = 0; c < dim; ++c)
      for (int e = 0; e < dim; ++e)
        {
          dP[c][e] = c == d ? S[f][e] : 0.;
          for (int g = 0; g < dim; ++g)
            dP[c][e] += F[c][g] * dS[g][e];
        }
  }

private:
  ADAMANT_HOST_DEVICE const double (&set_strains(const Stretch<dim> &at, const Stretch<dim> &former))[dim][dim]
  {
    double H[dim][dim]; // of the end
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          F[c][d]   = at.F[c][d];
          H[c][d]   = 2. * at.H[c][d] - former.H[c][d];
          end[c][d] = c == d ? H[c][d] + 1. : H[c][d];
        }
    j = determinant_less_one(H);
    strain_of(H, strain[1]);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          strain[0][c][d] = former.G[c][d];
          middle[c][d]    = 0.5 * (former.G[c][d] + strain[1][c][d]);
          D[c][d]         = strain[1][c][d] - former.G[c][d];
        }
    return middle;
  }

  // tr (C⁻¹ D)² with C in the middle: D is large or small by the size of C.
  ADAMANT_HOST_DEVICE double relative_squares() const
  {
    const double square = (1. + W.j) * (1. + W.j); // det C
    double       product[dim][dim], sum = 0.;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        product[c][d] = dot<dim>(W.cofactor[c], D[d]) / square;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        sum += product[c][d] * product[d][c];
    return sum;
  }

  // W(C1) - W(C0) - G : D. The difference would lose digits where D is small; Gauss's rule for the integral of
  // (∂W/∂C - G) : D has an error of order 7 in C⁻¹ D, which is then below rounding.
  ADAMANT_HOST_DEVICE double excess(bool large) const
  {
    if (large)
      return EnergyOfStrain<dim>(energy, strain[1]).W.value - EnergyOfStrain<dim>(energy, strain[0]).W.value -
             product_of<dim>(W.G, D);
    double sum = 0.; // the middle point has none
    for (int side = -1; side <= 1; side += 2)
      {
        double at[dim][dim];
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            at[c][d] = middle[c][d] + side * 0.3872983346207417 * D[c][d]; // √0.15
        const EnergyOfStrain<dim> there(energy, at);
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            sum += 5. / 18. * (there.G[c][d] - W.G[c][d]) * D[c][d];
      }
    return sum;
  }
};

/// The ConservingPoints of a level.
template <int dim>
struct ConservingPoints
{
  StretchView<dim> stretch, former;
  EnergyOfCells    energy;
  int              n_q;

  ADAMANT_HOST_DEVICE ConservingPoint<dim> operator()(int point) const
  {
    return {energy.energies[energy.of_cell[point / n_q]], stretch(point), former(point)};
  }
};

/// Stores the stress of ConservingPoint, by Device::for_each over points. det F1 - 1 takes the place of det F - 1.
template <int dim>
struct ConservingStress
{
  ConservingPoints<dim> points;
  ValuesAt              stress;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const ConservingPoint<dim> at = points(point);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stress(dim * c + d, point) = at.stress(c, d);
    points.stretch.j(point) = at.j;
  }
};

/// Stores the derivative of that stress to F, by Device::for_each over points: ∂P_ce/∂F_df is value ((c dim + e) dim +
/// d) dim + f.
template <int dim>
struct ConservingModuli
{
  ConservingPoints<dim> points;
  ValuesAt              moduli;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const ConservingPoint<dim> at = points(point);
    for (int d = 0; d < dim; ++d)
      for (int f = 0; f < dim; ++f)
        {
          double dP[dim][dim];
          at.change(d, f, dP);
          for (int c = 0; c < dim; ++c)
            for (int e = 0; e < dim; ++e)
              moduli(((c * dim + e) * dim + d) * dim + f, point) = dP[c][e];
        }
  }
};

/// Integrates the tangent of these moduli, for AssembleBlocks.
template <int dim>
struct ConservingTangent
{
  static constexpr int  rows = dim, columns = dim;
  ValuesAt              moduli;
  InertiaTerm           inertia;
  PressedFacesView<dim> faces;
  int                   n_q;

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          double sum = 0.;
          for (int e = 0; e < dim; ++e)
            for (int f = 0; f < dim; ++f)
              sum += at.gradient_i[e] * moduli(((c * dim + e) * dim + d) * dim + f, at.point) * at.gradient_j[f];
          local[c][d] += at.JxW * sum;
        }
    for (int c = 0; c < dim; ++c)
      local[c][c] += inertia.factor(at.cell) * at.JxW * at.value_i * at.value_j;
    if (at.point % n_q != 0)
      return;
    faces.template add_tangent<0>(at.cell, at.a, at.b, local[0]);
    faces.template add_tangent<1>(at.cell, at.a, at.b, local[1]);
    if constexpr (dim == 3)
      faces.template add_tangent<2>(at.cell, at.a, at.b, local[2]);
  }
};

/// Stores the change of the stress for a displacement that changes by δ, by Device::for_each over points.
template <int dim>
struct ConservingStressChange
{
  GradientOf<dim> of;
  ValuesAt        moduli, stress;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    double H[dim][dim];
    of(point, H);
    for (int ce = 0; ce < dim * dim; ++ce)
      {
        double sum = 0.;
        for (int df = 0; df < dim * dim; ++df)
          sum += moduli(ce * dim * dim + df, point) * H[df / dim][df % dim];
        stress(ce, point) = sum;
      }
  }
};
} // namespace adamant
