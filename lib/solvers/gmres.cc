#include "solvers/gmres.h"

#include "algebra/profiler_range.h"

#include <algorithm>
#include <string>

namespace adamant
{
namespace
{
constexpr int largest_restart = 1000; // what a kernel and its sums have room for

int checked_restart(int restart)
{
  if (restart < 1 || restart > largest_restart)
    throw RunError("GMRES: its Krylov space has from 1 to " + std::to_string(largest_restart) + " dimensions, not " +
                   std::to_string(restart));
  return restart;
}
} // namespace

GMRES::GMRES(const Device &device, const LinearOperator &A, const Preconditioner &M, int restart)
  : KrylovMethod(device, A, M)
  , restart(checked_restart(restart))
  , norms(device, 2)
  , memory(device, GMRESNumbers::size(restart))
  , numbers(memory.data(), restart)
  , state(device, 2)
  , r(device, A.n_rows())
  , x_of_cycle(device, A.n_rows())
  , basis(device, A.n_rows(), restart + 1)
  , directions(device, A.n_rows(), restart)
  , directions_in_float(device, A.n_rows(), restart)
{
  basis.add();
}

// The vectors that depend on how the iteration runs, and the loop.
void GMRES::begin()
{
  const int n = A.n_rows();
  if (recorded())
    w = Vector<double>(device, n);
  if (in_float())
    v_in_float = M.input_in_float();
  else if (recorded())
    for (Vector<double> *vector : {&v, &z})
      *vector = Vector<double>(device, n);
  grow();
  loop = Loop(
    device, judgement(), [this](const LoopAnswer &answer) { return arnoldi_step(answer); }, recordable(),
    [this] { next_cycle(); });
}

PendingResult GMRES::start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits)
{
  waits = waits || !loop || !loop.repeats_itself() || taken < 0;
  while (!waits && room() < std::min(restart, std::max(taken + 2, least_room())))
    grow();
  if (!loop)
    begin();
  const int place = next_place();
  A.residual(x, b, r);
  device.norms(r, b, norms);
  start_solve<GMRESState>({control, place, restart, room(), waits, b.data(), x.data()}, state, norms, b, x, r);
  first_vector();
  const GMRESState &end    = state.on_host()[place];
  const auto        cycles = [&] {
    run_cycles(end);
    with_combination([&](const auto &combination) { device.for_each(r.size(), combination); });
    launch_following();
  };
  cycles();
  if (!waits)
    return when_done([this, control, &end] { return ended(control, end); });
  for (state.fetch(); end.ending == Ending::room; state.fetch())
    {
      grow();
      cycles();
    }
  return ended(control, end);
}

// All cycles, or those until more memory is needed.
void GMRES::run_cycles(const GMRESState &end)
{
  loop.run();
  while (!loop.repeats_itself() && end.ending == Ending::start)
    {
      next_cycle();
      loop.run();
    }
}

SolverResult GMRES::ended(const SolverControl &control, const GMRESState &end)
{
  const int iterations = end.result.iterations;
  taken = end.ending == Ending::limit && room() < restart ? -1 : iterations; // the next solve may need more memory
  loop.expect(std::min(iterations, room()));
  check_ending("GMRES", control, end, "the matrix or the preconditioner is singular",
               "the tolerance may be below what rounding allows, or the preconditioner does not suit the matrix");
  return end.result;
}

// What a solve that gets no more memory is given in any case: ten directions, and all where they take little, 256 KiB.
int GMRES::least_room() const
{
  constexpr int cheap = 1 << 14; // numbers: a direction takes two vectors
  return std::max(10, cheap / std::max(1, r.size()));
}

// Memory for more iterations in a cycle.
void GMRES::grow()
{
  const int more = std::min(std::max(4, room() / 4), restart - room());
  for (int i = 0; i < more; ++i)
    {
      if (in_float())
        directions_in_float.add();
      else
        directions.add();
      basis.add();
    }
  device.for_each(1, Assign<int>{room(), &state.data()->capacity});
}

// From r and its norm.
void GMRES::first_vector()
{
  double *first = basis[0].data();
  if (in_float())
    device.for_each(r.size(), FirstBasisVector<float>{state.data(), r.data(), norms.data(), first, v_in_float.data()});
  else
    device.for_each(
      r.size(), FirstBasisVector<double>{state.data(), r.data(), norms.data(), first, recorded() ? v.data() : first});
  k = 0;
}

// With what the last one gives, and the residual of that.
void GMRES::next_cycle()
{
  with_combination([&](const auto &combination) {
    device.for_each(r.size(), NextCycle{combination, x_of_cycle.data(), r.data()});
  });
  A.multiply(-1., x_of_cycle, 1., r);
  device.norms(r, r, norms);
  first_vector();
}

GMRESControl GMRES::judgement() const
{
  return {state.data(), state.on_host(), norms.data(), numbers};
}

// z_k = M v_k, w = A z_k, v_{k+1} = w orthonormalised.
bool GMRES::arnoldi_step(const LoopAnswer &answer)
{
  const ProfilerRange range("GMRES iteration");
  ArnoldiVectors      vectors{r.size(), restart, &state.data()->k, basis.data(),  directions.data(),
                         nullptr,  nullptr, nullptr,          numbers.column};
  if (in_float())
    {
      const Vector<float> &z_k = M.vmult_in_float(v_in_float);
      A.multiply_float(z_k, w);
      vectors.z_in_float          = z_k.data();
      vectors.directions_in_float = directions_in_float.data();
      vectors.w                   = w.data();
      vectors.v_in_float          = v_in_float.data();
    }
  else
    {
      const bool      own = recorded();
      Vector<double> &v_k = own ? v : basis[k], &z_k = own ? z : directions[k], &product = own ? w : basis[k + 1];
      M.vmult(v_k, z_k);
      A.multiply(1., z_k, 0., product);
      vectors.z = z_k.data();
      vectors.w = product.data();
      vectors.v = own ? v.data() : product.data();
    }
  vectors.ended     = reinterpret_cast<const int *>(&state.data()->ending);
  vectors.k_of_step = &state.data()->k_of_step;
  ++k;
  return device.arnoldi(vectors, judgement(), answer);
}
} // namespace adamant
