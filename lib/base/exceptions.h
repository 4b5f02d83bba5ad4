#pragma once

#include <stdexcept>
#include <string>

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
} // namespace adamant
