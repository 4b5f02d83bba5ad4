#include "solvers/richardson.h"

namespace adamant
{
Richardson::Richardson(const Device &device, const LinearOperator &A, const Preconditioner &M, const char *name)
  : KrylovMethod(device, A, M)
  , name(name)
  , norms(device, 2)
  , state(device)
  , r(device, A.n_rows())
  , z(device, A.n_rows())
{}

PendingResult Richardson::start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool)
{
  if (recorded() && own_x.size() == 0)
    for (Vector<double> *vector : {&own_b, &own_x})
      *vector = Vector<double>(device, A.n_rows());
  right_hand_side = recorded() ? &own_b : &b;
  solution        = recorded() ? &own_x : &x;
  const RichardsonControl judgement{state.data(), state.on_host(), norms.data()};
  if (!loop)
    loop = Loop(
      device, judgement,
      [this, judgement](const LoopAnswer &answer) {
        M.vmult(r, z);
        device.axpby(1., z, 1., *solution);
        compute_residual(*right_hand_side, *solution);
        return Loop::ask(device, judgement, answer);
      },
      recordable());
  if (recorded())
    {
      device.copy(b, own_b);
      device.copy(x, own_x);
    }
  compute_residual(b, x);
  start_solve(KrylovState(control), state, norms, b, *solution, r);
  loop.run();
  if (recorded())
    device.copy(own_x, x);
  const KrylovState &end = *state.fetch();
  if (end.ending == Ending::zero)
    x.set_zero();
  const std::string advice = "use it as the preconditioner of GMRES (Solver = gmres), or smooth more";
  if (end.ending == Ending::limit)
    fail(name, control, control.max_iterations, end.result.final_residual,
         "not converged to " + to_text(control.tolerance), "allow more iterations, " + advice);
  check_ending(name, control, end, "", advice.c_str());
  return end.result;
}

void Richardson::compute_residual(const Vector<double> &b, const Vector<double> &x)
{
  A.residual(x, b, r);
  device.norms(r, b, norms);
}
} // namespace adamant
