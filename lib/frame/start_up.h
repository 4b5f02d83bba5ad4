#pragma once

#include "algebra/device.h"
#include "base/communicator.h"

#include <functional>
#include <ostream>
#include <string>

namespace adamant
{
/// Runs `body` between MPI's start and end, and returns the exit code. Exceptions become one message and a code: 2 for
/// the user's input, 3 where the run ends early with a checkpoint, 1 for all other errors. On several ranks an
/// exception on one rank ends them all. Only the first rank's std::cout is seen.
int guarded_main(const std::string &application, const std::function<int()> &body);

/// Makes waiting threads sleep after microseconds, not after the milliseconds of GNU's OpenMP: beside other programs
/// they keep cores from the threads they wait for. OpenMP reads GOMP_SPINCOUNT before `main`, so the program starts
/// itself anew with it, once, unless it or OMP_WAIT_POLICY is set. Call this before MPI's start.
void let_waiting_threads_sleep(char **argv);

/// Returns the number of cores that this process may use, or `requested` where that is not 0. Ranks of one machine that
/// may use the same cores share them.
int number_of_threads(int requested, const Communicator &ranks);

void set_threads(int n_threads); ///< sets the numbers of threads of deal.II and OpenMP

/// Returns the most unknowns that a problem may have. Each rank counts its own with 32 bits, and deal.II counts all
/// with the index type that it was built with.
double most_unknowns();

/// Returns the device that `choice` ("host", "cuda" or "auto") names. Where there is no GPU, "auto" takes the host and
/// says so on `out`; "cuda" throws RunError with the reason. All ranks run on one kind of device; with GPUs `out` gets
/// a line on how they exchange data. Throws InputError where the format is cusparse and the device is the host.
Device choose_device(const std::string &choice, int n_threads, std::ostream &out,
                     const Communicator &ranks = Communicator(), bool share_devices = false,
                     MatrixFormat format = MatrixFormat::compressed);
} // namespace adamant
