#pragma once

#include "solvers/krylov.h"

#include <vector>

namespace adamant
{
/// Flexible GMRES with restart and right preconditioning (Liebchen et al., Section 4.1.5; Saad, Iterative Methods,
/// Algorithm 9.6), orthogonalised by classical Gram-Schmidt done twice; the small least-squares problem is
/// solved on the host by Givens rotations. The host waits once per iteration, for one column of the Hessenberg matrix.
/// A breakdown that leaves a residual is reported as a singular matrix or preconditioner, a whole
/// restart cycle that gains less than 1% as stagnation.
class GMRES : public KrylovMethod
{
public:
  /// `restart` is the largest dimension of the Krylov space.
  GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart = 30);

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  double &h(int i, int k) { return H[k * (restart + 1) + i]; }
  double  cycle(Vector<double> &x, double beta, double norm_b, const SolverControl &control, SolverResult &result);
  void    arnoldi_step(int k);
  double  column_norm(int k);
  void    rotate(int k, double negligible);
  std::vector<double> solve_triangular(int k);

  int                         restart;
  Scalars                     norms;
  Vector<double>              r;
  std::vector<Vector<double>> basis, directions;
  std::vector<Scalars>        columns;
  std::vector<Graph>          steps;
  std::vector<double>         H, cosine, sine, g;
};
} // namespace adamant
