#pragma once

#include "base/communicator.h"
#include "base/exceptions.h"

#include <sstream>
#include <string>

namespace adamant
{
/// Throws InputError unless the condition holds. Its message consists of the given parts, one after the other.
template <typename... Parts>
void require(bool condition, const Parts &...message)
{
  if (condition)
    return;
  std::ostringstream text;
  (text << ... << message);
  throw InputError(text.str());
}

/// Throws InputError on all ranks with the first complaint, in the order of the ranks, that is not empty. All ranks call
/// it together.
inline void require_on_all(const Communicator &ranks, const std::string &complaint)
{
  const auto first = ranks.first_text(complaint);
  require(first.empty(), first);
}
} // namespace adamant
