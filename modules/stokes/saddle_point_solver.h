#pragma once

#include "multigrid/chebyshev.h"
#include "multigrid/linear_solver.h"
#include "multigrid/v_cycle.h"
#include "operators/block_operator.h"
#include "operators/level_data.h"
#include "solvers/gmres.h"
#include "solvers/preconditioner.h"
#include "solvers/triangular.h"

#include <memory>
#include <vector>

namespace adamant
{
/// How the Schur complement of a saddle point problem is approximated.
enum class SchurComplement
{
  mass, ///< SchurMass
  bfbt  ///< SchurBFBT
};

/// The data of SaddlePointSolver for the problem [A Bᵀ; B 0]. All are in host memory, except values that change on the
/// device. The solver refers to the data and does not copy them.
struct SaddlePointData
{
  std::vector<LevelData>                   velocity; ///< A
  std::shared_ptr<const CSRMatrix<double>> B, Bt;
  LevelData                                mass;        ///< for SchurMass: a single level
  double                                   mass_factor; ///< see SchurMass
  std::vector<LevelData>                   schur;       ///< for SchurBFBT: the finest level is K; else empty
  const Vector<double>                    *C = nullptr; ///< for SchurBFBT, else null
};

/// Approximate inverses of the Schur complement S = B A⁻¹ Bᵀ of a saddle point problem
///
///   [ A  Bᵀ ] [ u ]   [ f ]
///   [ B  0  ] [ p ] = [ g ],
///
/// where A is the matrix of (2 η ε(u), ε(v)) or the like. As preconditioners they compute z = -Ŝ⁻¹ v, with the sign of
/// the second pivot of elimination, as a TriangularPreconditioner needs.

/// The mass matrix weighted by 1/η: Ŝ⁻¹ = factor p(M). p is Chebyshev's polynomial of degree 3 in D⁻¹ M, and D the
/// diagonal of M. It is for bilinear elements in dim dimensions: the eigenvalues of D⁻¹ M are in [2^-dim, 1.5^dim]
/// (Wathen 1987).
class SchurMass : public Preconditioner
{
public:
  /// `mass` has a single level, M. `factor` is 2 for 2 η ε, 1 for η grad, times any other scale of B.
  SchurMass(const Device &device, const LevelData &mass, int dim, double factor = 2.);

  void vmult(const Vector<double> &v, Vector<double> &z) const override;
  void update() override;
  bool recordable() const override { return true; }

private:
  Device                     device;
  DeviceLevel<double>        mass;
  PolynomialSmoother<double> chebyshev;
  double                     factor;
  mutable Vector<double>     x, y;
};

/// The weighted least-squares commutator ("BFBT") of Rudi, Stadler and Ghattas (SIAM J. Sci. Comput. 39, 2017): Ŝ⁻¹ =
/// L⁻¹ (B C A C Bᵀ) L⁻¹. C is a positive diagonal matrix, zero at constrained unknowns of u. L⁻¹ is one V-cycle for K =
/// B C Bᵀ.
template <typename Number>
class SchurBFBT : public Preconditioner
{
public:
  /// The object has its own device matrices in this precision of A, B and Bᵀ. It reads C at each update; the finest of
  /// `levels` is K. With options.singular the pressure has a free constant: all vectors are kept at zero mean over the
  /// rows of B with entries.
  SchurBFBT(const Device &device, const Matrix<Number> &A, const CSRMatrix<double> &B, const CSRMatrix<double> &Bt,
            const Vector<double> &C, const std::vector<LevelData> &levels, const MultigridOptions &options);

  void vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override;
  void update() override;
  bool recordable() const override { return true; }

private:
  using Vector = adamant::Vector<Number>;
  void solve(Vector &r, Vector &p) const; // computes p = L⁻¹ r
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

/// Flexible GMRES in double for (u, p). Its right preconditioner is block upper triangular, with a V-cycle V for A and
/// an approximate inverse of the Schur complement: `p = -Ŝ⁻¹ r_p`, `u = V (r_u - Bᵀ p)`.
class SaddlePointSolver
{
public:
  /// `options` belong to the V-cycle for A and to GMRES. `schur_options` belong to the V-cycle for K, in double where
  /// the precision is float64, else in float. `external` replaces the V-cycle for A.
  SaddlePointSolver(const Device &device, const SaddlePointData &data, int dim, SchurComplement type,
                    const LinearSolverOptions &options, const MultigridOptions &schur_options,
                    std::unique_ptr<Preconditioner> external = nullptr);

  /// Solves for x, from the guess x, to `part` times the tolerance; see KrylovMethod.
  SolverResult solve(const Vector<double> &b, Vector<double> &x, double part = 1.)
  {
    auto control = options.control;
    control.tolerance *= part;
    return gmres.solve(b, x, control);
  }
  /// Takes over the present values of the matrices.
  void update();

  const LinearOperator &A() const { return A_operator; }

private:
  std::unique_ptr<Preconditioner> make_schur(const Device &device, const SaddlePointData &data, int dim,
                                             SchurComplement type, const MultigridOptions &schur_options);

  const SaddlePointData          &data;
  LinearSolverOptions             options;
  Matrix<double>                  A_matrix;
  Matrix<float>                   A_in_float; // for SchurBFBT<float>, where the V-cycle is not in float
  MatrixOperator                  A_operator, B_operator, Bt_operator;
  BlockOperator                   system;
  std::unique_ptr<Preconditioner> V, S;
  TriangularPreconditioner        triangular;
  GMRES                           gmres;
};
} // namespace adamant
