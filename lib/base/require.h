#pragma once

#include "base/exceptions.h"

#include <sstream>

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
} // namespace adamant
