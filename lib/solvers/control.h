#pragma once

#include "base/exceptions.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace adamant
{
/// When an iteration ends: where ‖b - A x‖₂ <= tolerance ‖b‖₂, or after max_iterations steps.
struct SolverControl
{
  double      tolerance      = 1e-8;
  int         max_iterations = 200;
  std::string name           = "linear system"; ///< of the system, for messages
  /// After max_iterations steps a relative residual up to `accepted` is no failure, as inexact Newton methods can do
  /// with it. Only GMRES and BiCGStab take it into account.
  double accepted = 0.;
};

/// How an iteration ended. Residuals are relative to ‖b‖₂; where b = 0, the solution is x = 0 and they are 0.
struct SolverResult
{
  int    iterations       = 0;
  double initial_residual = 0;
  double final_residual   = 0;
};

/// The result of a solve that may still be under way on a GPU. The object is a handle: its copies share one result, or
/// one error, which each call of `wait` throws.
class PendingResult
{
public:
  PendingResult(const SolverResult &result = {}) ///< a result that is known already
    : state(std::make_shared<State>(State{{}, result, nullptr}))
  {}
  /// `end` waits for the result and returns it, or throws SolverError where the solve has failed. It is called once.
  explicit PendingResult(std::function<SolverResult()> end)
    : state(std::make_shared<State>(State{std::move(end), {}, nullptr}))
  {}

  /// Returns the result of `launch`. Where `launch` throws SolverError, `wait` of the returned object throws it.
  template <class Launch>
  static PendingResult of(const Launch &launch)
  {
    try
      {
        return launch();
      }
    catch (const SolverError &)
      {
        return PendingResult([error = std::current_exception()]() -> SolverResult { std::rethrow_exception(error); });
      }
  }

  bool                known() const { return !state->end; }
  const SolverResult &wait() const ///< waits for the end of the solve, and returns its result or throws its error
  {
    if (const auto end = std::exchange(state->end, nullptr))
      try
        {
          state->result = end();
        }
      catch (...)
        {
          state->error = std::current_exception();
        }
    if (state->error)
      std::rethrow_exception(state->error);
    return state->result;
  }

private:
  struct State
  {
    std::function<SolverResult()> end;
    SolverResult                  result;
    std::exception_ptr            error;
  };
  std::shared_ptr<State> state;
};
} // namespace adamant
