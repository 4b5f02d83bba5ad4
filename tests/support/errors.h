#pragma once

#include "base/exceptions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace adamant::test
{
/// Expects that `action` throws an Error whose message contains all `parts`.
template <class Error>
void expect_error(const std::function<void()> &action, const std::vector<std::string> &parts)
{
  try
    {
      action();
      ADD_FAILURE() << "expected an error with '" << parts[0] << "'";
    }
  catch (const Error &error)
    {
      const std::string message = error.what();
      for (const std::string &part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "' in: " << message;
    }
}
} // namespace adamant::test
