#pragma once

#include "solvers/krylov.h"

namespace adamant
{
/// x <- x + M (b - A x): with the V-cycle as M this is multigrid as the solver (Liebchen et al., Algorithm 1), with a
/// direct solver in low precision iterative refinement. Twenty steps without gain are reported as stagnation:
/// fewer may only carry an error through the domain. The
/// iteration is a Loop: on a GPU the host waits at its end.
class Richardson : public KrylovMethod
{
public:
  /// `name` begins messages.
  Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M, const char *name = "Multigrid");

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  void compute_residual(const Vector<double> &b, const Vector<double> &x);

  const char           *name;
  Scalars               norms;
  Shared<KrylovState>   state;
  Vector<double>        r, z, own_b, own_x;        // the last two where the iteration is recorded
  const Vector<double> *right_hand_side = nullptr; // what an iteration reads
  Vector<double>       *solution        = nullptr; // and changes
  Loop                  loop;
};
} // namespace adamant
