#pragma once

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
} // namespace adamant
