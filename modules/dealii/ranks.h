#pragma once

#include "base/communicator.h"
#include "base/parallel_for.h"

#include <array>
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

/// Calls action(first, end) for n_ranges ranges of about the same size that 0 <= i < n is split into, on all threads.
/// Throws again what one of them has thrown.
template <class Action>
void for_ranges(std::size_t n, std::size_t n_ranges, const Action &action)
{
  if (n_ranges == 1)
    return action(0, static_cast<int>(n));
  parallel_for(n_ranges, [&](std::size_t r) {
    action(static_cast<int>(n * r / n_ranges), static_cast<int>(n * (r + 1) / n_ranges));
  });
}

/// Returns whether `condition` holds on any rank. All ranks call it together.
inline bool on_any_rank(const Communicator &ranks, bool condition)
{
  double any = condition ? 1. : 0.;
  ranks.max(&any, 1);
  return any > 0.;
}

/// The maxima of two values over all ranks, which travel while the ranks do other work. All ranks make the object and
/// call wait() together.
class PendingMax
{
public:
  PendingMax(const Communicator &ranks, double first, double second)
    : values{{first, second}}
  {
    if (ranks.size() > 1)
      check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values.data(), 2, MPI_DOUBLE, MPI_MAX, ranks.handle(), &request),
                "MPI_Iallreduce");
  }
  ~PendingMax()
  {
    if (request != MPI_REQUEST_NULL) // after an exception; MPI writes into the object
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  PendingMax(const PendingMax &)            = delete;
  PendingMax &operator=(const PendingMax &) = delete;

  std::array<double, 2> wait()
  {
    if (request != MPI_REQUEST_NULL)
      check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    return values;
  }

private:
  std::array<double, 2> values;
  MPI_Request           request = MPI_REQUEST_NULL;
};
} // namespace adamant
