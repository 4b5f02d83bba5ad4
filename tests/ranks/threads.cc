// The threads of ranks by the cores that they may use, alone or together.
#include "base/exceptions.h"
#include "frame/start_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace
{
int first_core = 0, n_cores = 0; // that this process may use; none: those that it really may
}

// In place of the C library's.
extern "C" int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores) noexcept
{
  std::memset(cores, 0, size);
  for (int core = first_core; core < first_core + n_cores; ++core)
    CPU_SET(core, cores);
  return n_cores > 0 || syscall(SYS_sched_getaffinity, pid, size, cores) > 0 ? 0 : -1;
}

namespace
{
int threads_of(int first, int n, int requested = 0)
{
  first_core        = first;
  n_cores           = n;
  const int threads = adamant::number_of_threads(requested, adamant::Communicator(MPI_COMM_WORLD));
  n_cores           = 0;
  return threads;
}

TEST(Threads, ByTheCoresOfARank)
{
  const adamant::Communicator ranks(MPI_COMM_WORLD);
  const int                   n = ranks.size(), rank = ranks.rank();
  EXPECT_EQ(threads_of(8, 12), 12 / n) << "a batch job's cores";
  EXPECT_EQ(threads_of(6 * rank, 6), 6) << "cores of their own";
  EXPECT_EQ(threads_of(12 * (rank / 2), 12), n == 1 ? 12 : 6) << "two ranks on each socket";
  EXPECT_EQ(threads_of(0, rank == 0 ? 4 : 8), n == 1 ? 4 : rank == 0 ? 4 / n : 4 / n + 4 / (n - 1)) << "some in common";
  EXPECT_EQ(threads_of(0, 1), 1) << "one thread at least";
  EXPECT_EQ(threads_of(0, 4, 7), 7) << "what is asked for";
  EXPECT_THROW(threads_of(0, 4, 100000), adamant::InputError);
}
} // namespace
