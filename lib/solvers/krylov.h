#pragma once

#include "algebra/graph.h"
#include "algebra/loop.h"
#include "base/exceptions.h"
#include "operators/linear_operator.h"
#include "solvers/control.h"
#include "solvers/krylov_state.h"
#include "solvers/preconditioner.h"

#include <algorithm>
#include <functional>
#include <string>

namespace adamant
{
/// Solves A x = b iteratively with a preconditioner M. A and M have to outlive the method. The method holds vectors and
/// recorded steps of its own, so that it runs one solve at a time. It ends where the residual meets the tolerance,
/// before the first step if the guess is good enough. Where b = 0 it sets x = 0. It throws SolverError, which names the
/// failure, the iteration and the likely cause, at NaN, divergence, breakdown, stagnation, or max_iterations.
class KrylovMethod
{
public:
  KrylovMethod(const Device &device, const LinearOperator &A, const Preconditioner &M)
    : device(device)
    , A(A)
    , M(M)
    , marks{Mark(device), Mark(device)}
  {}
  virtual ~KrylovMethod()                       = default;
  KrylovMethod(const KrylovMethod &)            = delete; // the recorded steps hold its address
  KrylovMethod &operator=(const KrylovMethod &) = delete;

  /// Solves A x = b from the guess x, or from zero where ‖b - A x‖ > far_guess ‖b‖. Residuals in the result are
  /// relative to ‖b‖₂. Where b is so small or large that a solve fails or sees zero, 2^k b takes its place.
  SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
  {
    return start_in_range(b, x, control, true).wait();
  }
  /// Starts a solve and returns before its end where the device needs the host no more. The next solve may be launched
  /// before this result is asked for. At most two results are pending: a third launch waits for the first result.
  /// Operations queued later on the device may change b and x. The method has to live until the result is known.
  /// `follow` launches operations on the device behind the solve, which take x. It may be called before the host knows
  /// how the iteration has ended; it is called again where x changes after that. Where the host does not wait, b is not
  /// scaled: where its squares are zero, the solve takes it for zero.
  PendingResult launch(
    const Vector<double> &b, Vector<double> &x, const SolverControl &control,
    const std::function<void()> &follow = [] {});

  virtual void update() {} ///< forgets what the method has measured of A; to be called when A has new entries

protected:
  /// Starts a solve, for the end of which the host `waits` or may go on.
  virtual PendingResult start(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits) = 0;

  /// Calls `follow` of the present launch. Methods call it where x is most likely the solution, before the host waits.
  void launch_following()
  {
    if (following != nullptr)
      (*following)();
    followed = following != nullptr;
  }

  /// Returns the number, 0 or 1, of the place on the host that gets the final state of the solve that begins. It first
  /// waits for the earlier solve that uses this place. If that solve has failed, its own PendingResult says so.
  int next_place();
  /// Returns the pending result that `end` reads from next_place() when the operations so far are done.
  PendingResult when_done(const std::function<SolverResult()> &end)
  {
    marks[place].take();
    return pending[place] = PendingResult([mark = marks[place], end] {
             mark.wait();
             return end();
           });
  }

  /// Starts an iteration on the device, see StartSolve.
  template <typename State>
  void start_solve(const State &start, Shared<State> &state, const Scalars &norms, const Vector<double> &b,
                   Vector<double> &x, Vector<double> &r, double far = far_guess, Vector<float> *rounded = nullptr) const
  {
    device.for_each(std::max(r.size(), 1),
                    StartSolve<State>{start, state.data(), norms.data(), far, b.data(), x.data(), r.data(),
                                      rounded != nullptr ? rounded->data() : nullptr, r.size()});
  }

  /// Runs `operations`. Where A and M allow it, the first call records them in `graph`, and each call replays it.
  void run_recorded(Graph &graph, const std::function<void()> &operations) const
  {
    if (!recordable())
      return operations();
    if (!graph)
      graph = Graph(device, operations);
    graph.replay();
  }

  bool recordable() const { return A.recordable() && M.recordable(); }
  /// Returns whether the body of a loop is recorded. As a recording holds addresses, the method then has vectors of its
  /// own for all that changes from solve to solve or from iteration to iteration.
  bool recorded() const { return device.traits().waits_for_launches && recordable(); }
  /// Returns whether M takes and gives vectors in single precision, which spares conversions.
  bool in_float() const { return recorded() && M.in_float() && A.takes_float(); }

  Device                device;
  const LinearOperator &A;
  const Preconditioner &M;

private:
  PendingResult start_in_range(const Vector<double> &b, Vector<double> &x, const SolverControl &control, bool waits);

  const std::function<void()> *following = nullptr;
  bool                         followed  = false;
  Mark                         marks[2];
  PendingResult                pending[2];
  int                          place = 0;
};

/// Returns the power of two that brings the largest entry of v on all ranks near one, or 1 where that entry is within
/// [1e-30, 1e30], zero or infinite. Outside, squares or numbers in float may leave their range. The host waits.
double scale_into_range(const Vector<double> &v);

/// Returns a residual or tolerance as messages give it, e.g. "1e-08".
std::string to_text(double value);

/// Is thrown where an iteration breaks down: CG does where it meets r . z <= 0 or p . A p <= 0.
struct BreakdownError : SolverError
{
  using SolverError::SolverError;
};

/// Throws Error that names the solver, the system, the iteration, the failure `what` and its likely `cause`.
template <class Error = SolverError>
[[noreturn]] void fail(const char *solver, const SolverControl &control, int iteration, double residual,
                       const std::string &what, const std::string &cause)
{
  throw Error(std::string(solver) + " for the " + control.name + ": " + what + " at iteration " +
              std::to_string(iteration) + " (relative residual " + to_text(residual) + "); " + cause);
}

/// The cause that messages give for stagnation of the true residual.
inline constexpr const char *below_rounding = "the tolerance is below what rounding allows for this matrix";

/// Throws SolverError where the relative residual is no finite number or above 1e8. This bound is large enough for a
/// slow start, so that a residual above it means divergence.
void check_residual(const char *solver, const SolverControl &control, int iteration, double residual);

/// Returns whether the residual is at most control.tolerance or, after control.max_iterations, control.accepted.
bool ended(const SolverControl &control, const SolverResult &result);

/// Throws SolverError that says that the tolerance has not been reached within control.max_iterations.
[[noreturn]] void fail_unconverged(const char *solver, const SolverControl &control, double residual);

/// Throws SolverError where the loop of a method has ended with NaN, divergence, the limit of iterations, breakdown or
/// stagnation. For the last two, messages give the causes that the method passes.
void check_ending(const char *solver, const SolverControl &control, const KrylovState &state,
                  const char *cause_of_breakdown, const char *cause_of_stagnation);
} // namespace adamant
