#pragma once

#include "base/communicator.h"

#include <functional>
#include <string>

namespace adamant
{
/// Prints version, libraries, backend, device and threads.
void print_header(const std::string &application, const std::string &backend, const std::string &device, int threads,
                  int n_ranks = 1);

/// Runs `body` between MPI's start and end; turns exceptions into one message and the exit code: 2 for the user's
/// input, 3 where the run ends early with a checkpoint, 1 for everything else that goes wrong. On several ranks an
/// exception on any of them ends them all. Only the first one's std::cout is seen.
int guarded_main(const std::string &application, const std::function<int()> &body);

/// Threads that wait for others shall sleep after some microseconds instead of the milliseconds that GNU's OpenMP
/// takes: on a machine where other programs run, too, those who wait would otherwise keep the ones they wait for from
/// their cores. OpenMP reads this before `main`, so the program starts itself anew, once, with GOMP_SPINCOUNT; unless
/// that or OMP_WAIT_POLICY is set. Before MPI's start.
void let_waiting_threads_sleep(char **argv);

/// The cores that this process may use, or `requested` where that is not 0. Cores that several ranks of a machine may
/// use are shared by these.
int number_of_threads(int requested, const Communicator &ranks);

/// Sets the threads of deal.II and OpenMP.
void set_threads(int n_threads);

/// The most unknowns of a problem: each rank counts its own with 32 bits, deal.II those of all with as many as it was
/// built with.
double most_unknowns();
} // namespace adamant
