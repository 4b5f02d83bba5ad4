#pragma once

#include "base/exceptions.h"
#include "solvers/control.h"

#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace adamant
{
/// The result of a solve that may still be under way on a GPU. A handle: copies mean the same result, or the same error
/// each time that one waits.
class PendingResult
{
public:
  PendingResult(const SolverResult &result = {}) ///< that is known
    : state(std::make_shared<State>(State{{}, result, nullptr}))
  {}
  /// `end` waits for it and throws SolverError where the solve has failed; it is called once.
  explicit PendingResult(std::function<SolverResult()> end)
    : state(std::make_shared<State>(State{std::move(end), {}, nullptr}))
  {}

  /// That which `launch` returns; a SolverError that it throws is one of the result's end.
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
  const SolverResult &wait() const
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
