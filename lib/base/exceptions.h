#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// The user's input is at fault: a parameter, a file, a command-line option. Programs end with exit code 2.
class InputError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// The computation is at fault: divergence, NaN, breakdown, missing hardware, memory. Programs end with exit code 1.
class RunError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// A linear solver did not reach its tolerance. The message says where, how and for which likely reason.
class SolverError : public RunError
{
public:
  using RunError::RunError;
};

/// A size does not fit the 32-bit indices of the sparse matrices.
class IndexOverflow : public RunError
{
public:
  using RunError::RunError;
};

/// Returns `size` as a 32-bit index. Throws IndexOverflow naming `what` where it does not fit.
int to_index(std::size_t size, const char *what);

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

/// Returns the arguments as "a, b, c", for messages.
template <typename... Arguments>
std::string listed(const Arguments &...arguments)
{
  std::ostringstream           text;
  [[maybe_unused]] const char *separator = "";
  ((text << std::exchange(separator, ", ") << arguments), ...);
  return text.str();
}

/// Returns the names in `known` that are closest to `name` by edit distance, ignoring case: at most `count`, nearest
/// first. No name is returned that differs in more than half of its letters.
std::vector<std::string> nearest_names(const std::string &name, const std::vector<std::string> &known,
                                       std::size_t count = 3);

/// Returns "; did you mean 'a' or 'b'?", or an empty text where no name is near.
std::string did_you_mean(const std::string &name, const std::vector<std::string> &known);
} // namespace adamant
