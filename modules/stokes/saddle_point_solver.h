#pragma once

#include "multigrid/linear_solver.h"
#include "operators/block_operator.h"
#include "solvers/gmres.h"
#include "solvers/triangular.h"
#include "stokes/schur_complement.h"

#include <memory>

namespace adamant
{
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
