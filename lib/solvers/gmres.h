#pragma once

#include "solvers/gmres_functors.h"
#include "solvers/krylov.h"

namespace adamant
{
/// Flexible GMRES with restart and right preconditioning (Liebchen et al., Section 4.1.5; Saad, Iterative Methods,
/// Algorithm 9.6), orthogonalised by classical Gram-Schmidt done twice; the small least-squares problem is
/// solved by Givens rotations. A cycle is a Loop: on a GPU the host waits at its end.
/// A breakdown that leaves a residual is reported as a singular matrix or preconditioner, a whole
/// restart cycle that gains less than 1% as stagnation.
class GMRES : public KrylovMethod
{
public:
  /// `restart` is the largest dimension of the Krylov space.
  GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart = 30);

  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  void grow();
  void begin_cycle(const Vector<double> &b, const Vector<double> &x);
  bool arnoldi_step(const LoopAnswer &answer);

  GMRESControl judgement() const;

  int                 restart;
  Scalars             norms, memory;
  GMRESNumbers        numbers;
  Shared<GMRESState>  state;
  Vector<double>      r;
  VectorTable<double> basis, directions;
  Vector<double>      v, z, w;    // v_k, z_k, A z_k where the step is recorded
  Vector<float>       v_in_float; // instead of v and z, where M takes it
  int                 k = 0;      // of the step where it is not
  Loop                loop;
};
} // namespace adamant
