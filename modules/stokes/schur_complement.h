#pragma once

#include "multigrid/chebyshev.h"
#include "multigrid/v_cycle.h"
#include "solvers/preconditioner.h"

#include <memory>
#include <vector>

namespace adamant
{
/// Approximate inverses of the Schur complement S = B A⁻¹ Bᵀ of a saddle point problem
///
///   [ A  Bᵀ ] [ u ]   [ f ]
///   [ B  0  ] [ p ] = [ g ],
///
/// A that of (2 η ε(u), ε(v)) or the like. As preconditioners they give z = -Ŝ⁻¹ v, the sign of the second pivot of
/// elimination: what a TriangularPreconditioner takes.

/// The mass matrix weighted by 1/η: Ŝ⁻¹ = factor p(M), p Chebyshev's polynomial of degree 3 in D⁻¹ M, D the diagonal of
/// M, for bilinear elements in dim dimensions: the eigenvalues of D⁻¹ M are in [2^-dim, 1.5^dim] (Wathen 1987).
class SchurMass : public Preconditioner
{
public:
  /// `mass` has M alone. `factor` is 2 for 2 η ε, 1 for η grad, times what else scales B.
  SchurMass(const Device &device, const LevelData &mass, int dim, double factor = 2.);

  void vmult(const Vector<double> &v, Vector<double> &z) const override;
  void update() override;
  bool recordable() const override { return true; }

private:
  Device                     device;
  LevelData                  mass;
  Matrix<double>             M;
  PolynomialSmoother<double> chebyshev;
  double                     factor;
  mutable Vector<double>     x, y;
};

/// The weighted least-squares commutator ("BFBT") of Rudi, Stadler and Ghattas (SIAM J. Sci. Comput. 39, 2017):
/// Ŝ⁻¹ = L⁻¹ (B C A C Bᵀ) L⁻¹, C a positive diagonal matrix, zero at constrained unknowns of u, and L⁻¹ one V-cycle for
/// K = B C Bᵀ.
template <typename Number>
class SchurBFBT : public Preconditioner
{
public:
  /// The matrices are the device's own in this precision: A, B and Bᵀ. C is read at each update; the finest of `levels`
  /// is K. With options.singular a constant may be added to p, and everything is of zero mean: over the rows that B
  /// does not leave empty.
  SchurBFBT(const Device &device, const Matrix<Number> &A, const CSRMatrix<double> &B, const CSRMatrix<double> &Bt,
            const Vector<double> &C, const std::vector<LevelData> &levels, const MultigridOptions &options);

  void vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override;
  void update() override;
  bool recordable() const override { return true; }

private:
  using Vector = adamant::Vector<Number>;
  void solve(Vector &r, Vector &p) const; // p = L⁻¹ r
  void remove_mean(Vector &r) const;
  void scale_by_C(Vector &w) const;

  Device                         device;
  Matrix<Number>                 A, B, Bt;
  const adamant::Vector<double> &exact_C;
  Vector                         C, ones;
  double                         n_ones;
  bool                           singular;
  VCycle<Number>                 L;
  mutable Scalars                sum;
  mutable Vector                 r, p, w, y;
};
} // namespace adamant
