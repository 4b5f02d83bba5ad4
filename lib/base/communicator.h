#pragma once

#include "base/exceptions.h"

#include <mpi.h>

#include <string>
#include <vector>

namespace adamant
{
/// The MPI ranks that share a problem. By default this is the present process alone, which needs no MPI.
class Communicator
{
public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm);

  int      rank() const { return my_rank; }
  int      size() const { return n_ranks; }
  MPI_Comm handle() const { return comm; }

  /// Adds up each of n values over all ranks, in place. All ranks get the same sums, and every run on as many ranks
  /// repeats them.
  void sum(double *values, int n) const;

  /// Replaces each of n values by its maximum over all ranks, or by NaN where a rank has NaN.
  void max(double *values, int n) const;

  /// Returns the sum of `value` over the ranks before this one.
  double sum_before(double value) const;

  /// Returns the first text, in the order of the ranks, that is not empty. All ranks get the same text.
  std::string first_text(const std::string &text) const;

  /// This rank's number among the ranks of its machine, and the number of ranks there.
  struct Place
  {
    int rank, size;
  };
  Place place_on_machine() const;

  /// Returns, for each rank, the first rank of its machine. All ranks get the same list. For tests, the environment
  /// variable ADAMANT_RANKS_PER_MACHINE says how many consecutive ranks count as a machine.
  std::vector<int> machines() const;

private:
  MPI_Comm comm    = MPI_COMM_SELF;
  int      my_rank = 0, n_ranks = 1;
};

/// Throws RunError with MPI's message and the name of the call unless `status` is MPI_SUCCESS.
void check_mpi(int status, const char *call);

/// Throws InputError on all ranks with the first complaint, in the order of the ranks, that is not empty. All ranks
/// call it together.
inline void require_on_all(const Communicator &ranks, const std::string &complaint)
{
  const auto first = ranks.first_text(complaint);
  require(first.empty(), first);
}
} // namespace adamant
