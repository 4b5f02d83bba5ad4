#include "base/communicator.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace adamant
{
void check_mpi(int status, const char *call)
{
  if (status == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int  length                     = 0;
  MPI_Error_string(status, text, &length);
  throw RunError(std::string(call) + ": " + text);
}

Communicator::Communicator(MPI_Comm comm)
  : comm(comm)
{
  int initialized = 0; // serial programs may do without MPI
  check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  if (!initialized)
    return;
  check_mpi(MPI_Comm_rank(comm, &my_rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &n_ranks), "MPI_Comm_size");
}

void Communicator::sum(double *values, int n) const
{
  if (n_ranks > 1)
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
}

void Communicator::max(double *values, int n) const
{
  if (n_ranks == 1)
    return;
  std::vector<double> both(values, values + n); // MPI_MAX may lose NaN, so that ones stand for it behind the values
  for (int i = 0; i < n; ++i)
    both.push_back(std::isnan(values[i]));
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, both.data(), 2 * n, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  for (int i = 0; i < n; ++i)
    values[i] = both[n + i] > 0. ? std::nan("") : both[i];
}

double Communicator::sum_before(double value) const
{
  double result = 0;
  if (n_ranks > 1)
    check_mpi(MPI_Exscan(&value, &result, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Exscan");
  return my_rank == 0 ? 0. : result; // MPI leaves it alone on the first rank
}

std::string Communicator::first_text(const std::string &text) const
{
  if (n_ranks == 1)
    return text;
  int mine = text.empty() ? n_ranks : my_rank, first = 0, length = static_cast<int>(text.size());
  check_mpi(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == n_ranks)
    return "";
  std::string result = text;
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, first, comm), "MPI_Bcast");
  result.resize(length);
  check_mpi(MPI_Bcast(result.data(), length, MPI_CHAR, first, comm), "MPI_Bcast");
  return result;
}

namespace
{
// Calls action with the ranks of this machine.
template <typename Action>
void with_machine(MPI_Comm comm, const Action &action)
{
  MPI_Comm shared = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared), "MPI_Comm_split_type");
  action(shared);
  check_mpi(MPI_Comm_free(&shared), "MPI_Comm_free");
}
} // namespace

Communicator::Place Communicator::place_on_machine() const
{
  Place place{0, 1};
  if (n_ranks > 1)
    with_machine(comm, [&](MPI_Comm shared) {
      const Communicator machine(shared);
      place = {machine.rank(), machine.size()};
    });
  return place;
}

std::vector<int> Communicator::machines() const
{
  const char *wish  = std::getenv("ADAMANT_RANKS_PER_MACHINE");
  int         first = my_rank;
  if (wish != nullptr)
    first -= my_rank % std::max(1, std::atoi(wish));
  else if (n_ranks > 1)
    with_machine(comm, [&](MPI_Comm shared) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, shared), "MPI_Allreduce");
    });
  std::vector<int> of_ranks(n_ranks, first);
  if (n_ranks > 1)
    check_mpi(MPI_Allgather(&first, 1, MPI_INT, of_ranks.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return of_ranks;
}
} // namespace adamant
