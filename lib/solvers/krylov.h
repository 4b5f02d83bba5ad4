#pragma once

#include "algebra/graph.h"
#include "algebra/loop.h"
#include "base/exceptions.h"
#include "operators/linear_operator.h"
#include "solvers/control.h"
#include "solvers/krylov_state.h"
#include "solvers/pending_result.h"
#include "solvers/preconditioner.h"

#include <functional>
#include <string>

namespace adamant
{
/// Solves A x = b iteratively, A an operator and M a preconditioner that outlive the method, which holds vectors and
/// recorded steps of its own: one solve at a time. All methods end at the tolerance; at once where the guess is good
/// enough; with x = 0 where b = 0; with SolverError that says what, where and why at NaN, divergence, breakdown,
/// stagnation, or max_iterations.
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

  /// From the guess x. Residuals in the result are relative to ‖b‖₂.
  virtual SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) = 0;
  /// As solve, but where the device needs the host no more the result is still to come, and the next solve may be
  /// launched before it is asked for: two at a time, else this waits. Later operations of the device may change b and x
  /// then. The method has to be there until the result is known.
  virtual PendingResult launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control)
  {
    return solve(b, x, control);
  }
  /// Then `follow`: operations on the device that take x. They may be launched before the host knows how the iteration
  /// has ended, and are again where x changes after that.
  PendingResult launch(const Vector<double> &b, Vector<double> &x, const SolverControl &control,
                       const std::function<void()> &follow);

  virtual void update() {} ///< A has other entries from now on

protected:
  /// Where x is most likely the solution, before the host waits.
  void launch_following()
  {
    if (following != nullptr)
      (*following)();
    followed = following != nullptr;
  }

  /// The one of two places on the host that gets the facts of the solve that begins. Those of an earlier solve that
  /// nobody has asked for yet are fetched from there first; if it has failed, its own result says so.
  int next_place();
  /// The result that `end` reads from that place when the operations so far are done.
  PendingResult when_done(const std::function<SolverResult()> &end)
  {
    marks[place].take();
    return pending[place] = PendingResult([mark = marks[place], end] {
             mark.wait();
             return end();
           });
  }

  /// Runs `operations`: recorded at the first time and replayed later, where A and M allow it.
  void run_recorded(Graph &graph, const std::function<void()> &operations) const
  {
    if (!recordable())
      return operations();
    if (!graph)
      graph = Graph(device, operations);
    graph.replay();
  }

  bool recordable() const { return A.recordable() && M.recordable(); }
  /// Whether a loop's body is recorded, which holds addresses: then the method has vectors of its own for what changes
  /// from solve to solve or from iteration to iteration.
  bool recorded() const { return device.asynchronous() && recordable(); }
  /// Whether M takes and gives vectors in single precision, which spares conversions.
  bool in_float() const { return recorded() && M.in_float() && A.takes_float(); }

  Device                device;
  const LinearOperator &A;
  const Preconditioner &M;

private:
  const std::function<void()> *following = nullptr;
  bool                         followed  = false;
  Mark                         marks[2];
  PendingResult                pending[2];
  int                          place = 0;
};

/// A residual or tolerance as messages give it, e.g. "1e-08".
std::string to_text(double value);

/// Throws SolverError with the solver, the step and the likely cause.
[[noreturn]] void fail(const char *solver, const SolverControl &control, int iteration, double residual,
                       const std::string &what, const std::string &cause);

/// What stagnation of the true residual means.
inline constexpr const char *below_rounding = "the tolerance is below what rounding allows for this matrix";

/// The checks that all iterations share. The bound on growth tells divergence from a slow start.
void check_residual(const char *solver, const SolverControl &control, int iteration, double residual);

/// Whether the residual is small enough, or acceptable after so many iterations.
bool ended(const SolverControl &control, const SolverResult &result);

[[noreturn]] void fail_unconverged(const char *solver, const SolverControl &control, double residual);

/// How a loop of a method ended that is no convergence: NaN, divergence, the limit; then what the method says of a
/// breakdown and of stagnation.
void check_ending(const char *solver, const SolverControl &control, const KrylovState &state,
                  const char *cause_of_breakdown, const char *cause_of_stagnation);
} // namespace adamant
