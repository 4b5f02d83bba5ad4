#pragma once

#include "algebra/functors/functor_types.h"
#include "fem/forms/cell_kernel.h"
#include "solid/stored_energy.h"

// Functors of solids at finite deformation, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Several values at each of n points or cells: value k at i is values[k n + i], in memory of the device.
struct ValuesAt
{
  double *values;
  long    n;

  ADAMANT_HOST_DEVICE double &operator()(int k, int i) const { return values[k * n + i]; }
};

/// What follows from the deformation gradient F = I + ∇u at a point. In two dimensions F has the further entry 1 across
/// the plane (plane strain), which counts in I1 and I2.
template <int dim>
struct Stretch
{
  double F[dim][dim], C[dim][dim], cofactor[dim][dim];
  double I1, I2, j; ///< j = J - 1

  ADAMANT_HOST_DEVICE void complete() ///< computes all from F and j
  {
    I1             = dim == 2 ? 1. : 0.;
    double squares = I1;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        {
          C[c][d] = 0.;
          for (int e = 0; e < dim; ++e)
            C[c][d] += F[e][c] * F[e][d];
          squares += C[c][d] * C[c][d];
          I1 += c == d ? C[c][d] : 0.;
        }
    I2 = 0.5 * (I1 * I1 - squares);
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
    Stretch<dim> stretch;
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d)
        stretch.F[c][d] = at(dim * c + d, point);
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

/// Stores F = I + H with H = ∇u, and J - 1 = tr H + (tr² H - tr H²) / 2 + det H, by Device::for_each over points. The
/// difference of det F and 1 would lose digits, which large moduli multiply.
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
    stretch.j(point) = j;
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

/// The energies of a level's cells.
struct EnergyOfCells
{
  const StoredEnergy *energies;
  const int          *of_cell; ///< the number of each cell's energy

  ADAMANT_HOST_DEVICE const StoredEnergy &operator()(int cell) const { return energies[of_cell[cell]]; }
};

/// The part of a tangent that comes from U: a pressure p = U' or a projection of it, and U''.
struct PressureView
{
  const double *p, *dilatation; ///< dilatation: J - 1 for U''; null: U'' is left out. p null: U' and U'' are those of J
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
    const Stretch<dim>  at = stretch(point);
    const StoredEnergy &of = energy(point / n_q);
    EnergyDerivatives   W  = of.shape(at.I1, at.I2, at.j);
    if (pressure.p == nullptr)
      {
        const VolumetricEnergy U = of.volumetric(at.j);
        W.first[2] += U.first;
        W.second[5] += U.second;
      }
    else
      {
        W.first[2] += pressure.p[point / pressure.n];
        if (pressure.dilatation != nullptr)
          W.second[5] += of.volumetric(pressure.dilatation[point / pressure.n]).second;
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
        const double weight = shapes.JxW[shape + q], of_point = j[cell * shapes.n_q + q];
        sums[0] += weight;
        sums[1] += weight * energy(cell).volumetric(of_point).first;
        sums[2] += weight * of_point;
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

/// Computes ∫ P ∇φ_a over a cell for a stress P at points, by Device::for_each over cells and their nodes a. Component
/// c of the result is at [(cell n + a) dim + c].
template <int dim>
struct Forces
{
  ShapesView shapes;
  ValuesAt   stress;
  double    *forces;

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
      }
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

/// Makes functions ψ_k that are orthonormal in L² of a cell, by Device::for_each over the shapes of cells: from 1 and,
/// where there are more, the coordinates of the unit cell. Value ψ_k at point q is at [(shape n_q + q) n + k].
template <int dim>
struct OrthonormalFunctions
{
  ShapesView    shapes;
  const double *points; ///< of the quadrature: coordinate d of point q at [q dim + d]
  int           n;      ///< 1 or 1 + dim
  double       *psi;

  ADAMANT_HOST_DEVICE void operator()(int shape) const
  {
    const long    first  = static_cast<long>(shape) * shapes.n_q;
    double       *values = psi + first * n;
    const double *weight = shapes.JxW + first;
    for (int k = 0; k < n; ++k)
      {
        for (int q = 0; q < shapes.n_q; ++q)
          values[q * n + k] = k == 0 ? 1. : points[q * dim + k - 1];
        for (int l = 0; l <= k; ++l)
          {
            double product = 0.;
            for (int q = 0; q < shapes.n_q; ++q)
              product += weight[q] * values[q * n + k] * values[q * n + l];
            for (int q = 0; q < shapes.n_q; ++q)
              values[q * n + k] =
                l == k ? values[q * n + k] / sqrt(product) : values[q * n + k] - product * values[q * n + l];
          }
      }
  }
};

/// The functions ψ_k in cells, see OrthonormalFunctions.
struct FunctionsInCells
{
  int           n; ///< 0: there are none
  const double *psi;
  ShapesView    shapes;

  ADAMANT_HOST_DEVICE const double *at(int cell, int q) const
  {
    return psi + (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * n;
  }
  /// Returns Σ_k c_k ψ_k at point q of a cell, whose coefficients c begin at [cell n].
  ADAMANT_HOST_DEVICE double value(const double *coefficients, int cell, int q) const
  {
    double sum = 0.;
    for (int k = 0; k < n; ++k)
      sum += coefficients[static_cast<long>(cell) * n + k] * at(cell, q)[k];
    return sum;
  }
};

/// Computes what projected dilatations ϑ = θ - 1 and pressures p add to a state, by Device::for_each over cells: both at
/// points, the residuals r_p = Π(J - 1) - ϑ and r_θ = ΠU'(ϑ) - p, and the matrix S of Π(U'' ·). All are coefficients of
/// ψ_k, at [cell n + k]; S_kl is at [(cell n + k) n + l].
struct Dilatation
{
  FunctionsInCells functions;
  EnergyOfCells    energy;
  const double    *j, *theta, *p;
  double          *p_at_points, *theta_at_points, *r_p, *r_theta, *S;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const int  n = functions.n, n_q = functions.shapes.n_q;
    const long first = static_cast<long>(cell) * n, shape = static_cast<long>(functions.shapes.shape[cell]) * n_q;
    for (int k = 0; k < n; ++k)
      {
        r_p[first + k]     = -theta[first + k];
        r_theta[first + k] = -p[first + k];
        for (int l = 0; l < n; ++l)
          S[(first + k) * n + l] = 0.;
      }
    for (int q = 0; q < n_q; ++q)
      {
        const int              point = cell * n_q + q;
        const double           of = functions.value(theta, cell, q), weight = functions.shapes.JxW[shape + q];
        const VolumetricEnergy U   = energy(cell).volumetric(of);
        const double          *psi = functions.at(cell, q);
        theta_at_points[point]     = of;
        p_at_points[point]         = functions.value(p, cell, q);
        for (int k = 0; k < n; ++k)
          {
            r_p[first + k] += weight * psi[k] * j[point];
            r_theta[first + k] += weight * psi[k] * U.first;
            for (int l = 0; l < n; ++l)
              S[(first + k) * n + l] += weight * psi[k] * psi[l] * U.second;
          }
      }
  }
};

/// Computes the means of pressures and dilatations over cells from their coefficients, by Device::for_each over cells.
struct MeansOfFunctions
{
  FunctionsInCells functions;
  const double    *theta, *p;
  double          *pressure, *dilatation;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double one = functions.at(cell, 0)[0]; // the other functions have the mean 0
    pressure[cell]   = one * p[static_cast<long>(cell) * functions.n];
    dilatation[cell] = one * theta[static_cast<long>(cell) * functions.n];
  }
};

/// Computes the matrix S of Dilatation for dilatations that are constant in cells, by Device::for_each over cells.
struct ConstantDilatation
{
  int           n;
  EnergyOfCells energy;
  const double *dilatation;
  double       *S;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double second = energy(cell).volumetric(dilatation[cell]).second;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l)
        S[(static_cast<long>(cell) * n + k) * n + l] = k == l ? second : 0.;
  }
};

/// Computes D_ka = ∫ ψ_k cof F ∇φ_a, by Device::for_each over cells and their nodes a. Component c of D_ka is at
/// [((cell n_nodes + a) n + k) dim + c].
template <int dim>
struct DilatationGradients
{
  FunctionsInCells functions;
  StretchView<dim> stretch;
  double          *D;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const ShapesView &shapes = functions.shapes;
    const int         cell = index / shapes.n, a = index % shapes.n, n = functions.n;
    const long        shape = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double           *of_a  = D + static_cast<long>(index) * n * dim;
    for (int i = 0; i < n * dim; ++i)
      of_a[i] = 0.;
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const Stretch<dim> at       = stretch(cell * shapes.n_q + q);
        const double      *gradient = shapes.gradient + ((shape + q) * shapes.n + a) * dim;
        for (int k = 0; k < n; ++k)
          for (int c = 0; c < dim; ++c)
            of_a[k * dim + c] += shapes.JxW[shape + q] * functions.at(cell, q)[k] * dot<dim>(at.cofactor[c], gradient);
      }
  }
};

/// The term of a tangent that comes from projected dilatations: Σ_kl S_kl D_ka D_lbᵀ in each cell; see Dilatation and
/// DilatationGradients.
struct DilatationTerm
{
  int           n; ///< functions ψ_k; 0: there is no such term
  const double *D, *S;
};

/// Computes how dilatations and pressures follow a displacement that changes by δ, by Device::for_each over cells: dθ =
/// D δ + r_p and dp = S dθ + r_θ, as coefficients, and dp at points.
template <int dim>
struct FollowingPressure
{
  FunctionsInCells functions;
  DilatationTerm   term;
  const double    *delta; ///< nodal values
  const double    *r_p, *r_theta;
  double          *d_theta, *d_p, *at_points;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const ShapesView &shapes = functions.shapes;
    const int         n      = functions.n;
    const long        first  = static_cast<long>(cell) * n;
    for (int k = 0; k < n; ++k)
      {
        double sum = r_p[first + k];
        for (int a = 0; a < shapes.n; ++a)
          sum += dot<dim>(term.D + ((static_cast<long>(cell) * shapes.n + a) * n + k) * dim,
                          delta + static_cast<long>(shapes.node[static_cast<long>(cell) * shapes.n + a]) * dim);
        d_theta[first + k] = sum;
      }
    for (int k = 0; k < n; ++k)
      {
        double sum = r_theta[first + k];
        for (int l = 0; l < n; ++l)
          sum += term.S[(first + k) * n + l] * d_theta[first + l];
        d_p[first + k] = sum;
      }
    for (int q = 0; q < shapes.n_q; ++q)
      at_points[cell * shapes.n_q + q] = functions.value(d_p, cell, q);
  }
};

/// Integrates the tangent, for AssembleBlocks.
template <int dim>
struct Tangent
{
  static constexpr int rows = dim, columns = dim;
  StretchView<dim>     stretch;
  ValuesAt             moduli;
  DilatationTerm       dilatation;
  int                  n_q, n_nodes; ///< of a cell

  ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[dim][dim]) const
  {
    add_tangent<dim>(stretch(at.point), moduli, at.point, at.JxW, at.gradient_i, at.gradient_j, local);
    if (at.point % n_q != 0)
      return;
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

/// Stores the change of the stress for a displacement that changes by δ, (∂P/∂F) : ∇δ + q cof F, by Device::for_each
/// over points. q is a pressure at points; null: 0.
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
    const long         shape   = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    const StoredEnergy of      = energy(cell);
    double             sums[2] = {}, least = 1e300, most = -1.;
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const int          point  = cell * shapes.n_q + q;
        const Stretch<dim> at     = stretch(point);
        const double       weight = shapes.JxW[shape + q], theta = dilatation == nullptr ? at.j : dilatation[point];
        sums[0] += weight * (of.shape(at.I1, at.I2, at.j).value + of.volumetric(theta).value);
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
