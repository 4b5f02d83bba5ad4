#pragma once

#include "base/exceptions.h"

#include <sstream>

namespace adamant
{
/// Throws InputError with the parts of the message one after the other unless the condition holds.
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
