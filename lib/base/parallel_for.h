#pragma once

#include <cstddef>
#include <exception>

namespace adamant
{
/// Calls action(i) for 0 <= i < n on all threads, in ranges of about the same size. If calls throw, one of their
/// exceptions is thrown again after all other calls.
template <typename Action>
void parallel_for(std::size_t n, const Action &action)
{
  std::exception_ptr failure; // no exception may leave the threads
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    try
      {
        action(i);
      }
    catch (...)
      {
#pragma omp critical
        failure = std::current_exception();
      }
  if (failure)
    std::rethrow_exception(failure);
}

/// Sets to = value where other threads may do so at the same time.
template <typename T, typename Value>
void write_atomically(T &to, const Value &value)
{
#pragma omp atomic write
  to = value;
}
} // namespace adamant
