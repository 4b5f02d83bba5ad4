#pragma once

#include "solvers/gmres_functors.h"
#include "solvers/krylov.h"

namespace adamant
{
/// Solves A x = b by flexible GMRES with restart and right preconditioning (Liebchen et al., Section 4.1.5; Saad,
/// Iterative Methods, Algorithm 9.6). Classical Gram-Schmidt, done twice, orthogonalises the basis. Givens rotations
/// solve the small least-squares problem. The cycles are a Loop: on a GPU the host waits at most for its end. Memory
/// for directions z_k grows as solves need them. A solve for which the host does not wait gets no more memory: where
/// the memory is full, it begins a new cycle, and may end unconverged where `solve` converges. A breakdown that leaves
/// a residual is reported as a singular matrix or preconditioner. A whole restart cycle that reduces the residual by
/// less than 1% is reported as stagnation.
class GMRES : public KrylovMethod
{
public:
  /// `restart`, from 1 to 1000, is the largest dimension of the Krylov space. Throws RunError for any other number.
  GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart = 30);

private:
  PendingResult start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits) override;
  void          begin();
  void          run_cycles(const GMRESState &end);
  SolverResult  ended(const SolverControl &control, const GMRESState &end);
  void          grow();
  int           least_room() const;
  void          first_vector();
  void          next_cycle();
  bool          arnoldi_step(const LoopAnswer &answer);

  /// Calls action(c) with the Combination c that adds up the directions in the precision in which they are stored.
  template <class Action>
  void with_combination(const Action &action) const
  {
    if (in_float())
      action(Combination<float>{state.data(), directions_in_float.data(), numbers.y});
    else
      action(Combination<double>{state.data(), directions.data(), numbers.y});
  }
  int room() const { return basis.size() - 1; } ///< how many directions there is memory for

  GMRESControl judgement() const;

  int                 restart;
  Scalars             norms, memory;
  GMRESNumbers        numbers;
  Shared<GMRESState>  state;
  Vector<double>      r, x_of_cycle;
  VectorTable<double> basis, directions;
  VectorTable<float>  directions_in_float; // instead of `directions`, where M gives them in float
  Vector<double>      v, z, w;             // v_k, z_k, A z_k where the step is recorded
  Vector<float>       v_in_float;          // instead of v and z, where M takes vectors in float
  int                 k     = 0;           // number of the step, where steps are not recorded
  int                 taken = -1;          // directions that the last solve took; -1: not known
  Loop                loop;
};
} // namespace adamant
