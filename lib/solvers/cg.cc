#include "solvers/cg.h"

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "algebra/profiler_range.h"

namespace adamant
{
CG::CG(const Device &device, const LinearOperator &A, const Preconditioner &M)
  : KrylovMethod(device, A, M)
  , squares(device, 6)
  , scalars(device, 3)
  , state(device, 2)
  , r(device, A.n_rows())
  , w(device, A.n_rows())
  , p(device, A.n_rows())
  , s(device, A.n_rows())
  , correction(device, A.n_rows())
{}

PendingResult CG::start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool)
{
  if (!loop)
    begin();
  if (!measured)
    measure();
  const int place = next_place();
  A.residual(x, b, r);
  start_from_residual(b);
  start_solve<CGState>({control, place, b.data(), x.data()}, state, squares, b, x, r, far_guess * far_guess,
                       in_float() ? &r_in_float : nullptr);
  const CGState &end = state.on_host()[place];
  loop.run();
  if (!loop.repeats_itself())
    for (finish({}), state.fetch(); end.ending == Ending::again; finish({}), state.fetch())
      {
        restart();
        loop.run();
      }
  launch_following();
  const PendingResult result = when_done([this, control, &end] { return ended(control, end); });
  if (!loop.repeats_itself())
    result.wait();
  return result;
}

SolverResult CG::ended(const SolverControl &control, const CGState &end) const
{
  loop.expect(end.first_cycle > 0 ? end.first_cycle : end.result.iterations);
  check_ending("CG", control, end,
               M.in_float() ? "the matrix or the preconditioner is not symmetric positive definite, or the latter's "
                              "single precision is too low for that (Precision = float64); or use GMRES" :
                              "the matrix or the preconditioner is not symmetric positive definite; use GMRES",
               below_rounding);
  return end.result;
}

// The vectors that depend on how the iteration runs, and the loop.
void CG::begin()
{
  if (in_float())
    r_in_float = M.input_in_float();
  else
    z = Vector<double>(device, A.n_rows());
  loop = Loop(
    device, judgement(), [this](const LoopAnswer &answer) { return iterate(answer); }, recordable(),
    [this] { restart(); }, [this](const LoopAnswer &answer) { return finish(answer); });
}

// How large A is, for the device alone: p and w are free between solves.
void CG::measure()
{
  device.for_each(p.size(), RandomSigns{nullptr, p.data()});
  A.multiply(1., p, 0., w);
  device.sums(p.size(), CGStart<double>{w.data(), p.data(), nullptr}, squares, 2);
  measured = true;
}

void CG::start_from_residual(const Vector<double> &b)
{
  if (in_float())
    device.sums(r.size(), CGStart<float>{r.data(), b.data(), r_in_float.data()}, squares, 0);
  else
    device.sums(r.size(), CGStart<double>{r.data(), b.data(), nullptr}, squares, 0);
}

// Behind a step: what belongs to the end, if that has come; whether the iteration goes on or begins again.
bool CG::finish(const LoopAnswer &answer)
{
  return device.sums(r.size(), CGCorrection{state.data(), correction.data()}, squares, 4,
                     CGDoubt{state.data(), state.on_host(), squares.data() + 4}, answer);
}

// From the residual of x so far.
void CG::restart()
{
  device.for_each(r.size(), CGRestart{state.data(), w.data(), r.data()});
  A.multiply(-1., w, 1., r);
  start_from_residual(r);
  device.for_each(1, Assign<int>{static_cast<int>(Ending::start), reinterpret_cast<int *>(&state.data()->ending)});
}

CGControl CG::judgement() const
{
  return {state.data(), state.on_host(), squares.data(), scalars.data()};
}

// z = M r, w = A z, the step along p.
bool CG::iterate(const LoopAnswer &answer)
{
  const ProfilerRange range("CG iteration");
  if (in_float())
    {
      const Vector<float> &z_in_float = M.vmult_in_float(r_in_float);
      A.multiply_float(z_in_float, w);
      return step(z_in_float.data(), r_in_float.data(), answer);
    }
  M.vmult(r, z);
  A.multiply(1., z, 0., w);
  return step<double>(z.data(), nullptr, answer);
}

template <typename Number>
bool CG::step(const Number *z, Number *rounded, const LoopAnswer &answer)
{
  const int                n = r.size();
  const CGProducts<Number> products{r.data(), z, w.data()};
  const CGUpdate<Number>   update{z, w.data(), p.data(), s.data(), correction.data(), r.data(), rounded, state.data()};
  return device.sums(n, products, update, scalars, judgement(), answer);
}
} // namespace adamant
