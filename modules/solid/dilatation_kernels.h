#pragma once

#include "solid/stretch.h"

#include <cmath>

// Functors of projected dilatations, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Makes functions ψ_k that are orthonormal in L² of a cell, by Device::for_each over the shapes of cells. They are
/// made of 1 and, where there are more, of the coordinates of the unit cell. Value ψ_k at point q is at [(shape n_q +
/// q) n + k].
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

/// Computes the values at points of functions given by coefficients, by Device::for_each over cells.
struct FunctionsAtPoints
{
  FunctionsInCells functions;
  const double    *coefficients;
  double          *at_points;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const int n_q = functions.shapes.n_q;
    for (int q = 0; q < n_q; ++q)
      at_points[static_cast<long>(cell) * n_q + q] = functions.value(coefficients, cell, q);
  }
};

/// Computes the coefficients of the projections in L² of functions given at points, by Device::for_each over cells.
struct ProjectionsOfFunctions
{
  FunctionsInCells functions;
  const double    *at_points;
  double          *coefficients;

  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const int     n = functions.n, n_q = functions.shapes.n_q;
    const double *weight = functions.shapes.JxW + static_cast<long>(functions.shapes.shape[cell]) * n_q;
    for (int k = 0; k < n; ++k)
      {
        double sum = 0.;
        for (int q = 0; q < n_q; ++q)
          sum += weight[q] * functions.at(cell, q)[k] * at_points[static_cast<long>(cell) * n_q + q];
        coefficients[static_cast<long>(cell) * n + k] = sum;
      }
  }
};

/// Computes what projected dilatations ϑ = θ - 1 and pressures p add to a state, by Device::for_each over cells. These
/// are the residuals r_p = Π(J - 1) - ϑ and r_θ = ΠU'(ϑ) - p, and the matrix S of Π(U'' ·). They are coefficients of
/// ψ_k, at [cell n + k]; S_kl is at [(cell n + k) n + l].
struct Dilatation
{
  FunctionsInCells functions;
  EnergyOfCells    energy;
  const double    *j, *theta, *p, *theta_at_points;
  double          *r_p, *r_theta, *S;

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
        const int              point  = cell * n_q + q;
        const double           weight = functions.shapes.JxW[shape + q];
        const VolumetricEnergy U      = energy.volumetric(cell, point, theta_at_points[point]);
        const double          *psi    = functions.at(cell, q);
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
    const double second = energy.volumetric(cell, cell, dilatation[cell]).second;
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
    const long        shape             = static_cast<long>(shapes.shape[cell]) * shapes.n_q;
    double            sum[dim + 1][dim] = {}; // of at most dim + 1 functions
    for (int q = 0; q < shapes.n_q; ++q)
      {
        const Stretch<dim> at  = stretch.without_strain(cell * shapes.n_q + q);
        const double *gradient = shapes.gradient + ((shape + q) * shapes.n + a) * dim, *psi = functions.at(cell, q);
        for (int k = 0; k < dim + 1; ++k)
          for (int c = 0; k < n && c < dim; ++c)
            sum[k][c] += shapes.JxW[shape + q] * psi[k] * dot<dim>(at.cofactor[c], gradient);
      }
    for (int k = 0; k < dim + 1; ++k)
      for (int c = 0; k < n && c < dim; ++c)
        D[(static_cast<long>(index) * n + k) * dim + c] = sum[k][c];
  }
};

/// The term of a tangent that comes from projected dilatations: Σ_kl S_kl D_ka D_lbᵀ in each cell; see Dilatation and
/// DilatationGradients.
struct DilatationTerm
{
  int           n; ///< functions ψ_k; 0: there is no such term
  const double *D, *S;

  /// Adds row c of D_aᵀ S D_b for nodes a and b of a cell with n_nodes.
  template <int dim>
  ADAMANT_HOST_DEVICE void add_tangent(int cell, int n_nodes, int a, int b, int c, double (&row)[dim]) const
  {
    const double *of_cell = S + static_cast<long>(cell) * n * n, *D_0 = D + static_cast<long>(cell) * n_nodes * n * dim;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l)
        for (int d = 0; d < dim; ++d)
          row[d] += of_cell[k * n + l] * D_0[(a * n + k) * dim + c] * D_0[(b * n + l) * dim + d];
  }
};

/// Computes how dilatations and pressures follow a displacement that changes by δ, by Device::for_each over cells. They
/// are dθ = D δ + r_p and dp = S dθ + r_θ, as coefficients, and dp at points.
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
} // namespace adamant
