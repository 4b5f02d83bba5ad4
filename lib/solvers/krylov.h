#pragma once

#include "algebra/graph.h"
#include "base/exceptions.h"
#include "operators/linear_operator.h"
#include "solvers/control.h"
#include "solvers/preconditioner.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
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
  {}
  virtual ~KrylovMethod()                       = default;
  KrylovMethod(const KrylovMethod &)            = delete; // the recorded steps hold its address
  KrylovMethod &operator=(const KrylovMethod &) = delete;

  /// From the guess x. Residuals in the result are relative to ‖b‖₂.
  virtual SolverResult solve(const Vector<double> &b, Vector<double> &x, const SolverControl &control) = 0;

protected:
  /// Runs `operations`: recorded at the first time and replayed later, where A and M allow it.
  void run_recorded(Graph &graph, const std::function<void()> &operations) const
  {
    if (!A.recordable() || !M.recordable())
      return operations();
    if (!graph)
      graph = Graph(device, operations);
    graph.replay();
  }

  Device                device;
  const LinearOperator &A;
  const Preconditioner &M;
};

/// Counts the iterations since the residual last fell by 1% below the best one before: many of them are a stagnation.
class StagnationCounter
{
public:
  explicit StagnationCounter(double first_residual = std::numeric_limits<double>::infinity())
    : best(first_residual)
  {}

  /// The count with this residual; 0 where it is progress.
  int add(double residual)
  {
    count = residual < 0.99 * best ? 0 : count + 1;
    best  = std::min(best, residual);
    return count;
  }

private:
  double best;
  int    count = 0;
};

/// A residual or tolerance as messages give it, e.g. "1e-08".
std::string to_text(double value);

/// Throws SolverError with the solver, the step and the likely cause.
[[noreturn]] void fail(const char *solver, const SolverControl &control, int iteration, double residual,
                       const std::string &what, const std::string &cause);

/// The checks that all iterations share. The bound on growth tells divergence from a slow start.
void check_residual(const char *solver, const SolverControl &control, int iteration, double residual);

/// Whether the residual is small enough, or acceptable after so many iterations.
bool ended(const SolverControl &control, const SolverResult &result);

[[noreturn]] void fail_unconverged(const char *solver, const SolverControl &control, double residual);
} // namespace adamant
