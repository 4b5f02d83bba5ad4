#pragma once

#include "solvers/krylov.h"
#include "solvers/krylov_state.h"

namespace adamant
{
/// Returns whether Richardson's iteration goes on. `norms` holds ‖r‖ and ‖b‖; `on_host` gets a copy of the final state.
struct RichardsonControl
{
  KrylovState  *state, *on_host;
  const double *norms;

  ADAMANT_HOST_DEVICE bool operator()() const
  {
    KrylovState s = *state;
    if (s.ending == Ending::none)
      ++s.result.iterations;
    s.ending = judge(s);
    *state   = s;
    if (s.ending != Ending::none)
      on_host[s.place] = s;
    return s.ending == Ending::none;
  }

private:
  ADAMANT_HOST_DEVICE Ending judge(KrylovState &s) const
  {
    if (const Ending ending = s.start(norms[s.from_zero && s.result.iterations == 0], norms[1]); ending != Ending::none)
      return ending;
    const Ending reached = s.reached(false);
    return reached == Ending::none && s.stagnation.add(s.result.final_residual) == 20 ? Ending::stagnation : reached;
  }
};

/// Solves A x = b by the iteration x <- x + M (b - A x). With the V-cycle as M this is multigrid as the solver
/// (Liebchen et al., Algorithm 1); with a direct solver in low precision it is iterative refinement. Twenty steps in
/// which the residual falls by less than 1% are reported as stagnation: fewer may only carry an error through the
/// domain. The iteration is a Loop: on a GPU the host waits at its end.
class Richardson : public KrylovMethod
{
public:
  /// Messages of errors begin with `name`.
  Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M, const char *name = "Multigrid");

private:
  PendingResult start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits) override;

  void compute_residual(const Vector<double> &b, const Vector<double> &x);

  const char           *name;
  Scalars               norms;
  Shared<KrylovState>   state;
  Vector<double>        r, z, own_b, own_x;        // own_b and own_x are copies, where the iteration is recorded
  const Vector<double> *right_hand_side = nullptr; // the vector b that an iteration reads
  Vector<double>       *solution        = nullptr; // the vector x that an iteration changes
  Loop                  loop;
};
} // namespace adamant
