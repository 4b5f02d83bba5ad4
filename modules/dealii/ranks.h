#pragma once

#include "base/communicator.h"

#include <exception>
#include <string>

namespace adamant
{
/// Throws RunError with a sentence for the user.
[[noreturn]] inline void refuse(const std::string &why)
{
  throw RunError("multigrid for deal.II: " + why);
}

/// Calls action() on each rank; it must not communicate. Where it throws on some rank, all ranks throw RunError with
/// the first message in the order of the ranks, so that none waits for another. All ranks call it together.
template <class Action>
void agreed(const Communicator &ranks, const Action &action)
{
  std::string complaint;
  try
    {
      action();
    }
  catch (const std::exception &error)
    {
      complaint = error.what();
    }
  if (const auto first = ranks.first_text(complaint); !first.empty())
    throw RunError(first);
}

/// Returns whether `condition` holds on any rank. All ranks call it together.
inline bool on_any_rank(const Communicator &ranks, bool condition)
{
  double any = condition ? 1. : 0.;
  ranks.max(&any, 1);
  return any > 0.;
}
} // namespace adamant
