#include "frame/start_up.h"

#include "base/exceptions.h"
#include "frame/restart/checkpoint.h"
#include "frame/signals.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/types.h>

#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <new>
#include <thread>
#include <vector>

namespace adamant
{
int guarded_main(const std::string &application, const std::function<int()> &body)
{
  handle_signals(application);
  // Setting up frees and allocates large arrays in turn: memory kept is memory that need not be cleared again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);

  const auto complain = [&](const std::string &what, int code) {
    std::cout.flush();
    const Communicator ranks(MPI_COMM_WORLD);
    // Mostly all ranks have met one error: the first rank speaks for all ranks and ends them.
    if (ranks.rank() > 0)
      std::this_thread::sleep_for(std::chrono::seconds(2));
    const std::string rank = ranks.size() > 1 ? " (rank " + std::to_string(ranks.rank()) + ")" : "";
    std::cerr << application + rank + ": error: " + what + "\n"; // at once: mpirun writes between what comes in parts
    if (ranks.size() > 1)
      MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  };
  try
    {
      // Without mpirun or a batch system this is the only rank.
      const auto names = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_SIZE"};
      if (std::none_of(names.begin(), names.end(), [](const char *name) { return std::getenv(name) != nullptr; }))
        {
          setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); // Open MPI would start a daemon first: 0.1 s
          setenv("OMPI_MCA_pml", "ob1", 0);                  // and look for other networks: 0.2 s
        }
      setenv("CUDA_MODULE_LOADING", "EAGER", 0); // else a first solve waits up to 20 ms for its kernels
      int                                            argc = 0;
      char                                         **argv = nullptr;
      const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
      const bool                                     first = Communicator(MPI_COMM_WORLD).rank() == 0;
      handle_signals(application, first); // again, as Open MPI gives SIGTERM back its default
      if (!first)
        std::cout.setstate(std::ios::failbit);
      try
        {
          return body();
        }
      // Caught before MPI ends: its end would otherwise abort the program.
      catch (const Interrupted &reason)
        {
          std::cout << reason.what() << std::endl;
          return reason.exit_code;
        }
      catch (const std::exception &error)
        {
          const bool of_input = dynamic_cast<const InputError *>(&error) != nullptr,
                     memory   = dynamic_cast<const std::bad_alloc *>(&error) != nullptr;
          return complain(memory ? "out of host memory; use a smaller mesh" : error.what(), of_input ? 2 : 1);
        }
    }
  catch (const std::exception &error)
    {
      return complain("MPI could not be started: " + std::string(error.what()), 1);
    }
}

void let_waiting_threads_sleep(char **argv)
{
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr)
    return;
  setenv("GOMP_SPINCOUNT", "3000", 1);
  hold_signals();                // until the program handles them
  execv("/proc/self/exe", argv); // where it cannot, the program goes on as it is
}

int number_of_threads(int requested, const Communicator &ranks)
{
  constexpr int most = 1024;
  require(requested <= most, "--threads ", requested, ": at most ", most, " threads; this machine has ",
          omp_get_num_procs(), " cores");
  if (requested > 0)
    return requested;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
    for (int core = 0; core < std::min(omp_get_num_procs(), CPU_SETSIZE); ++core)
      CPU_SET(core, &cores);
  if (ranks.size() == 1)
    return std::max(1, CPU_COUNT(&cores));
  // Ranks may have cores of their own, or share the cores of a socket, a batch job or the whole machine.
  std::vector<cpu_set_t> of_ranks(ranks.size());
  check_mpi(MPI_Allgather(&cores, sizeof(cores), MPI_BYTE, of_ranks.data(), sizeof(cores), MPI_BYTE, ranks.handle()),
            "MPI_Allgather");
  const auto machine = ranks.machines();
  double     share   = 0.;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    {
      int users = 0;
      for (int rank = 0; rank < ranks.size(); ++rank)
        users += machine[rank] == machine[ranks.rank()] && CPU_ISSET(core, &of_ranks[rank]);
      share += CPU_ISSET(core, &cores) ? 1. / users : 0.;
    }
  return std::max(1, static_cast<int>(share + 1e-9));
}

void set_threads(int n_threads)
{
  omp_set_num_threads(n_threads);
  omp_set_dynamic(0); // parallel regions in a row rely on the same number of threads
  // Two at least: with one thread FEValues of deal.II 9.4 reuses rounded data of similar cells, and the results would
  // depend on the number of threads.
  dealii::MultithreadInfo::set_thread_limit(std::max(2, n_threads));
  // In one heap a run's memory does not vary with the place of deal.II's tasks; many threads would wait for each other.
  if (n_threads == 1)
    mallopt(M_ARENA_MAX, 1);
}

double most_unknowns()
{
  const double own = std::numeric_limits<int>::max(), all = std::numeric_limits<dealii::types::global_dof_index>::max();
  return std::min(own * Communicator(MPI_COMM_WORLD).size(), all);
}

Device choose_device(const std::string &choice, int n_threads, std::ostream &out, const Communicator &ranks,
                     bool share_devices, MatrixFormat format)
{
  if (choice != "host")
    try
      {
        const Device device = Device::cuda(ranks, share_devices, format);
        if (const std::string exchange = device.interface().exchange(); !exchange.empty())
          out << "GPUs exchange by " << exchange << std::endl;
        return device;
      }
    catch (const RunError &reason)
      {
        if (choice == "cuda")
          throw;
        if (built_with_cuda)
          out << "no GPU is used: " << reason.what() << std::endl;
      }
  require(format != MatrixFormat::cusparse, "Linear solver/Matrix format = cusparse needs --backend cuda");
  return Device::host(n_threads, ranks);
}
} // namespace adamant
