#pragma once

#include "multigrid/linear_solver.h"
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
  mass, ///< by the pressure's mass matrix, weighted by 1/η
  bfbt  ///< by the weighted least-squares commutator
};

/// The data of SaddlePointSolver for the problem [A Bᵀ; B 0]. All are in host memory, except values that change on the
/// device. The solver refers to the data and does not copy them.
struct SaddlePointData
{
  std::vector<LevelData>                   velocity; ///< A
  std::shared_ptr<const CSRMatrix<double>> B, Bt;
  LevelData                                mass;        ///< for `mass`: a single level
  double                                   mass_factor; ///< for `mass`: 2 for 2 η ε, times any scale of B
  std::vector<LevelData>                   schur;       ///< for `bfbt`: the finest level is K = B C Bᵀ; else empty
  const Vector<double>                    *C = nullptr; ///< for `bfbt`: a positive diagonal matrix; else null
};

/// The sum A + N of two operators; N may be null.
class SumOperator : public LinearOperator
{
public:
  /// Both operators have to outlive the object.
  SumOperator(const LinearOperator &A, const LinearOperator *N)
    : A(A)
    , N(N)
  {}
  int  n_rows() const override { return A.n_rows(); }
  int  n_cols() const override { return A.n_cols(); }
  bool recordable() const override { return A.recordable() && (N == nullptr || N->recordable()); }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override
  {
    A.multiply(a, x, b, y);
    if (N != nullptr)
      N->multiply(a, x, 1., y);
  }

private:
  const LinearOperator &A, *N;
};

/// Flexible GMRES in double for (u, p). Its right preconditioner is block upper triangular, with a V-cycle V for A and
/// an approximate inverse of the Schur complement: `p = -Ŝ⁻¹ r_p`, `u = V (r_u - Bᵀ p)`.
class SaddlePointSolver
{
public:
  /// `options` belong to the V-cycle for A and to GMRES. `schur_options` belong to the V-cycle for K, in double where
  /// the precision is float64, else in float. `external` replaces the V-cycle for A. `tangent` is added to A in the
  /// system, but not in the preconditioner; it has to outlive the object.
  SaddlePointSolver(const Device &device, const SaddlePointData &data, int dim, SchurComplement type,
                    const LinearSolverOptions &options, const MultigridOptions &schur_options,
                    std::unique_ptr<Preconditioner> external = nullptr, const LinearOperator *tangent = nullptr);

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
  const LinearOperator &B() const { return B_operator; }
  const LinearOperator &Bt() const { return Bt_operator; }

private:
  std::unique_ptr<Preconditioner> make_schur(const Device &device, const SaddlePointData &data, int dim,
                                             SchurComplement type, const MultigridOptions &schur_options);

  const SaddlePointData          &data;
  LinearSolverOptions             options;
  std::unique_ptr<Preconditioner> V;
  Matrix<double>                  A_matrix;   // the V-cycle's, where it is in double
  Matrix<float>                   A_in_float; // for `bfbt` in float, where the V-cycle is not in float
  MatrixOperator                  A_operator, B_operator, Bt_operator;
  SumOperator                     A_and_tangent;
  BlockOperator                   system;
  std::unique_ptr<Preconditioner> S;
  TriangularPreconditioner        triangular;
  GMRES                           gmres;
};
} // namespace adamant
