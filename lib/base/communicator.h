#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace adamant
{
/// The ranks that share a problem; by default this process alone, which needs no MPI.
class Communicator
{
public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm);

  int      rank() const { return my_rank; }
  int      size() const { return n_ranks; }
  MPI_Comm handle() const { return comm; }

  /// Sums of n values over all ranks, in place; the same on all ranks, and in every run on as many ranks.
  void sum(double *values, int n) const;

  /// The largest of each of n values on all ranks, in place.
  void max(double *values, int n) const;

  /// The sum of `value` over the ranks before this one.
  double sum_before(double value) const;

  /// Of the texts that the ranks give, the first that is not empty; the same on all ranks.
  std::string first_text(const std::string &text) const;

  /// This rank's number among those of its machine, and how many they are.
  struct Place
  {
    int rank, size;
  };
  Place place_on_machine() const;

  /// For each rank the first one of its machine; the same on all ranks. ADAMANT_RANKS_PER_MACHINE in the environment
  /// says for tests how many ranks that follow each other are to be taken for a machine.
  std::vector<int> machines() const;

private:
  MPI_Comm comm    = MPI_COMM_SELF;
  int      my_rank = 0, n_ranks = 1;
};

/// Throws RunError with MPI's own words and the name of the call unless `status` is MPI_SUCCESS.
void check_mpi(int status, const char *call);
} // namespace adamant
