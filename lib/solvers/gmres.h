#pragma once

#include "solvers/gmres_functors.h"
#include "solvers/krylov.h"

namespace adamant
{
/// Flexible GMRES with restart and right preconditioning (Liebchen et al., Section 4.1.5; Saad, Iterative Methods,
/// Algorithm 9.6), orthogonalised by classical Gram-Schmidt done twice; the small least-squares problem is
/// solved by Givens rotations. Its cycles are a Loop: on a GPU the host waits at its end at most. Memory for directions
/// grows as solves need them; a solve that the host does not wait for begins a new cycle where there is no more.
/// A breakdown that leaves a residual is reported as a singular matrix or preconditioner, a whole
/// restart cycle that gains less than 1% as stagnation.
class GMRES : public KrylovMethod
{
public:
  /// `restart` is the largest dimension of the Krylov space.
  GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart = 30);

  using KrylovMethod::launch;
  using KrylovMethod::solve;
  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override
  {
    return run(b, x, control, true).wait();
  }
  PendingResult launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control) override;

private:
  void          begin();
  PendingResult run(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool host_waits);
  void          run_cycles(const GMRESState &end);
  SolverResult  ended(const SolverControl &control, const GMRESState &end);
  void          grow();
  int           least_room() const;
  void          first_vector();
  void          next_cycle();
  bool          arnoldi_step(const LoopAnswer &answer);

  /// Calls action with what adds up the directions.
  template <class Action>
  void with_combination(const Action &action) const
  {
    if (in_float())
      action(Combination<float>{state.on_device(), directions_in_float.data(), numbers.y});
    else
      action(Combination<double>{state.on_device(), directions.data(), numbers.y});
  }
  int room() const { return basis.size() - 1; } ///< for directions

  GMRESControl judgement() const;

  int                 restart;
  Scalars             norms, memory;
  GMRESNumbers        numbers;
  Shared<GMRESState>  state;
  Vector<double>      r, x_of_cycle;
  VectorTable<double> basis, directions;
  VectorTable<float>  directions_in_float; // instead of these, where M gives them so
  Vector<double>      v, z, w;             // v_k, z_k, A z_k where the step is recorded
  Vector<float>       v_in_float;          // instead of v and z, where M takes it
  int                 k     = 0;           // of the step where it is not
  int                 taken = -1;          // directions, by the last solve; -1: not known
  Loop                loop;
};
} // namespace adamant
