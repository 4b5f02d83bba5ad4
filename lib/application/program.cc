#include "application/program.h"

#include "base/exchange_plan.h"
#include "base/version.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/revision.h>

#include <malloc.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace adamant
{
namespace internal
{
int guarded_main(const std::string &application, const std::function<int()> &body)
{
  // Setting up frees and allocates large arrays in turn: memory kept is memory that need not be cleared again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);

  const auto complain = [&](const std::string &what, int code) {
    std::cout.flush();
    int initialized = 0;
    MPI_Initialized(&initialized);
    const Communicator ranks = initialized ? Communicator(MPI_COMM_WORLD) : Communicator();
    // Mostly all ranks have met the same: the first one speaks for them and ends them.
    if (ranks.rank() > 0)
      std::this_thread::sleep_for(std::chrono::seconds(2));
    std::cerr << application << (ranks.size() > 1 ? " (rank " + std::to_string(ranks.rank()) + ")" : "") << ": " << what
              << std::endl;
    if (ranks.size() > 1)
      MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  };
  try
    {
      setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); // Open MPI without mpirun would start a daemon first: 0.1 s
      int                                            argc = 0;
      char                                         **argv = nullptr;
      const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
      if (Communicator(MPI_COMM_WORLD).rank() > 0)
        std::cout.setstate(std::ios::failbit);
      try
        {
          return body();
        }
      // Caught before MPI ends: its end would otherwise abort the program.
      catch (const Interrupted &reason)
        {
          std::cout << reason.what() << std::endl;
          return 3;
        }
      catch (const InputError &error)
        {
          return complain("error: " + std::string(error.what()), 2);
        }
      catch (const std::bad_alloc &)
        {
          return complain("error: out of host memory; use a smaller mesh", 1);
        }
      catch (const std::exception &error)
        {
          return complain("error: " + std::string(error.what()), 1);
        }
    }
  catch (const std::exception &error)
    {
      return complain("error: MPI could not be started: " + std::string(error.what()), 1);
    }
}

void fail_for_test(const std::string &section)
{
  static const char *const wish = std::getenv("ADAMANT_FAIL");
  if (wish == nullptr)
    return;
  static std::map<std::string, int> begun;
  const int                         n    = ++begun[section];
  const int                         rank = Communicator(MPI_COMM_WORLD).rank();
  if (std::to_string(rank) + ":" + section + ":" + std::to_string(n) == wish)
    throw RunError("failed as ADAMANT_FAIL wants it in section '" + section + "'");
}

int number_of_threads(int requested, const Communicator &ranks)
{
  if (requested > 0)
    return requested;
  cpu_set_t  cores;
  const bool known = sched_getaffinity(0, sizeof(cores), &cores) == 0;
  const int  n     = known ? CPU_COUNT(&cores) : omp_get_num_procs();
  if (ranks.size() == 1 || n < sysconf(_SC_NPROCESSORS_ONLN)) // bound
    return std::max(1, n);
  return std::max(1, n / ranks.place_on_machine().size);
}

void set_threads(int n_threads)
{
  omp_set_num_threads(n_threads);
  // Two at least: with one thread FEValues of deal.II 9.4 reuses rounded data of similar cells, and the results would
  // depend on the number of threads.
  dealii::MultithreadInfo::set_thread_limit(std::max(2, n_threads));
}
} // namespace internal

void print_header(const std::string &application, const std::string &backend, const std::string &device, int threads,
                  int n_ranks)
{
  std::cout << "adamant " << version() << " (" << git_revision() << "), " << application << ", deal.II "
            << DEAL_II_PACKAGE_VERSION << '\n';
  if (!backend.empty())
    std::cout << "backend " << backend << " on " << device << ", " << threads << " host thread"
              << (threads > 1 ? "s" : "")
              << (n_ranks > 1 ? " on each of " + std::to_string(n_ranks) + " ranks" : std::string()) << '\n';
}

std::string output_folder(const CommandLine &line, const std::string &application)
{
  return !line.output.empty()         ? line.output :
         !line.restart_folder.empty() ? line.restart_folder :
                                        "output/" + application;
}

double most_unknowns()
{
  const double own = std::numeric_limits<int>::max(), all = std::numeric_limits<dealii::types::global_dof_index>::max();
  return std::min(own * Communicator(MPI_COMM_WORLD).size(), all);
}

RankParameters::RankParameters()
  : ParameterAcceptor("/Ranks")
{
  add_parameter("Distributed mesh", distributed_mesh,
                "Whether a run on one rank takes the mesh of p4est, as runs on several ranks (mpirun -np N) do: its "
                "checkpoints can be continued on any number of ranks");
  add_parameter("Share devices", share_devices,
                "Whether several ranks may use one GPU; they then exchange through host memory, which is slow");
  add_parameter(
    "Cells per rank", cells_per_rank,
    "Levels with fewer cells a rank than this gather on fewer ranks, as messages would take longer than the work: "
    "0 stands for 1000 on the host and 200000 on GPUs for bilinear elements, fewer of those with more unknowns");
}

Run::Run(const std::string &application, const CommandLine &line, const CheckpointParameters &checkpoints,
         std::unique_ptr<CheckpointReader> continued, const std::string &backend, const std::string &device,
         int threads, const RankParameters &rank_parameters)
  : ranks(MPI_COMM_WORLD)
  , timer(std::cout, dealii::TimerOutput::never, dealii::TimerOutput::wall_times)
  , least_cells(rank_parameters.cells_per_rank)
  , least_bilinear_cells(backend == "cuda" ? 200000 : 1000)
  , distributed_mesh(rank_parameters.distributed_mesh || ranks.size() > 1 ||
                     (continued && continued->header.distributed_mesh))
  , output_folder(adamant::output_folder(line, application))
  , dry_run(line.dry_run)
  , reader(std::move(continued))
  , writer(checkpoints, output_folder, reader ? reader->file : "", ranks)
{
  header.parameters = parameter_text(dealii::ParameterHandler::ShortPRM);
  if (writes())
    make_output_folder();
  record["application"] = application;
  record["version"]     = version() + "-" + git_revision();
  record["deal_ii"]     = DEAL_II_PACKAGE_VERSION;
  record["backend"]     = backend;
  record["device"]      = device;
  record["threads"]     = threads;
  if (ranks.size() > 1)
    record["ranks"] = ranks.size();
  time_loop.reset();

  header.application = application;
  header.version     = record["version"];
  header.deal_ii     = DEAL_II_PACKAGE_VERSION;
  header.backend     = backend;
  header.threads     = threads;
  header.ranks       = ranks.size();

  header.distributed_mesh = distributed_mesh;
  header.values           = parameter_text(dealii::ParameterHandler::ShortJSON);
  if (!reader)
    return;
  const auto &from  = reader->header;
  record["restart"] = {{"checkpoint", reader->file}, {"step", from.step}, {"time", from.time}};
  if (distributed_mesh && !from.distributed_mesh)
    throw InputError("--restart: the checkpoint holds a serial mesh, which only one rank can continue; on one rank, "
                     "Ranks/Distributed mesh = true makes checkpoints that any number of ranks can");
  if (from.backend != backend || from.threads != threads || from.ranks != ranks.size() ||
      from.version != header.version)
    std::cout << "note: adamant " << from.version << " wrote it with backend " << from.backend << ", " << from.ranks
              << (from.ranks > 1 ? " ranks" : " rank") << " and " << from.threads
              << " threads; the results may differ from an uninterrupted run's by rounding and solver tolerance\n";
  header.iterations = from.iterations;
  statistics_text   = from.statistics;
  if (!statistics_text.empty() && writes())
    write_file(file("statistics.csv"), statistics_text); // without the rows after the checkpoint
}

unsigned int Run::cells_per_rank(unsigned int dofs_per_cell) const
{
  return least_cells > 0 ? least_cells : std::max(1u, 4 * least_bilinear_cells / dofs_per_cell);
}

void Run::make_output_folder() const
{
  std::error_code error;
  std::filesystem::create_directories(output_folder, error);
  try
    {
      if (error)
        throw RunError(error.message());
      write_file(file("parameters.prm"), header.parameters);
    }
  catch (const RunError &reason)
    {
      throw InputError("output folder '" + output_folder + "' cannot be written: " + reason.what());
    }
}

void Run::describe(std::size_t n_unknowns, std::size_t n_cells, const std::vector<LevelData> &levels,
                   const LinearSolverParameters &linear_solver, unsigned int extrapolation_order)
{
  const auto options  = linear_solver.options("");
  record["precision"] = options.precision == Precision::float32 ? "float32" : "float64";
  record["dofs"]      = n_unknowns;
  record["cells"]     = n_cells;
  for (const auto &level : levels)
    {
      double size[] = {double(level.matrix->n_rows), double(level.matrix->n_nonzeros())};
      ranks.sum(size, 2);
      record["levels"].push_back({{"dofs", std::llround(size[0])}, {"nonzeros", std::llround(size[1])}});
    }
  if (ranks.size() > 1)
    describe_balance(*levels.back().matrix);
  record["preconditioner"]      = linear_solver.preconditioner;
  record["tolerance"]           = linear_solver.tolerance;
  record["extrapolation_order"] = extrapolation_order;
  // GMRES keeps two vectors an iteration, and about six iterations are usual; timing the V-cycle takes two vectors.
  const int per_solve = 2 + (options.type == SolverType::gmres ? 2 * std::min(options.restart, 6) : 0);
  bytes_of_time_loop  = sizeof(double) * levels.back().matrix->n_rows * (per_solve + extrapolation_order);
}

void Run::describe_balance(const CSRMatrix<double> &matrix)
{
  const double owned = matrix.n_rows, ghosts = matrix.ghosts->n_ghosts();
  const auto   unknowns = dealii::Utilities::MPI::min_max_avg(owned, ranks.handle());
  record["balance"]     = {{"unknowns", unknowns.max / unknowns.avg},
                           {"ghosts", dealii::Utilities::MPI::sum(ghosts, ranks.handle()) / unknowns.sum}};
}

std::int64_t Run::host_memory() const
{
  double bytes = peak_host_memory();
  ranks.sum(&bytes, 1);
  return std::llround(bytes);
}

void Run::print_size() const
{
  const auto megabytes = [](double bytes) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << 1e-6 * bytes << " MB";
    return text.str();
  };
  std::cout << "dry run: nothing has been solved or written\n"
            << record.at("dofs") << " unknowns, " << record.at("cells") << " cells\n";
  for (std::size_t l = record.at("levels").size(); l-- > 0;)
    std::cout << "  level " << l << ": " << record.at("levels")[l].at("dofs") << " unknowns, "
              << record.at("levels")[l].at("nonzeros") << " nonzeros\n";
  std::cout << "host memory expected: " << megabytes(host_memory()) << '\n';
  if (!device_memory)
    return;
  const auto [memory, peak] = device_memory();
  std::size_t in_use        = 0;
  std::string parts;
  for (const auto &[purpose, bytes] : memory)
    {
      in_use += bytes;
      parts += ", " + purpose + " " + megabytes(bytes);
    }
  std::cout << "device memory expected: " << megabytes(std::max(peak, in_use + bytes_of_time_loop))
            << " (after the set-up" << parts << ")\n";
}

void Run::statistics(const std::vector<std::pair<std::string, double>> &row)
{
  std::ostringstream text;
  text << std::setprecision(12);
  if (statistics_text.empty())
    for (std::size_t i = 0; i < row.size(); ++i)
      text << row[i].first << (i + 1 < row.size() ? "," : "\n");
  for (std::size_t i = 0; i < row.size(); ++i)
    text << row[i].second << (i + 1 < row.size() ? "," : "\n");
  statistics_text += text.str();
}

void Run::begin_time_loop(unsigned int done, unsigned int n)
{
  if (done > n)
    throw InputError("--restart: the checkpoint is of step " + std::to_string(done) +
                     ", but the end time is reached in step " + std::to_string(n));
  n_steps = n;
  if (dry_run)
    {
      print_size();
      throw EndOfDryRun();
    }
  record["timings"]["init"] = total.wall_time();
  time_loop.start();
}

void Run::end_time_loop()
{
  time_loop.stop();
  live.close();
}

void Run::progress(unsigned int step, double time, int iterations, double residual)
{
  header.iterations.push_back(iterations);
  live.show(step, n_steps, time, iterations, residual, time_loop.wall_time());
}

void Run::write_checkpoint(unsigned int step, double time, const std::function<void(CheckpointWriter::Archive &)> &save)
{
  const bool  last = step == n_steps;
  std::string why  = last ? "" : writer.reason_to_end();
  // Clocks and signals may differ: the first rank's clock and any rank's reason count.
  double wishes[] = {double(ranks.rank() == 0 && writer.due(step, last)), double(!why.empty())};
  ranks.sum(wishes, 2);
  if (wishes[0] + wishes[1] == 0)
    return;
  if (wishes[1] > 0 && why.empty())
    why = "another rank's signal or limit";
  Section scope(timer, "checkpoint");
  header.step       = step;
  header.time       = time;
  header.statistics = statistics_text;
  writer.write(header, save);
  if (!statistics_text.empty() && writes())
    write_file(file("statistics.csv"), statistics_text);
  if (!why.empty())
    throw Interrupted("stopped by " + why + " after step " + std::to_string(step) + "; --restart=" + output_folder +
                      " continues");
}

void Run::stop()
{
  total.stop();
}

void Run::finish()
{
  const auto &iterations = header.iterations;
  const auto  n          = std::max<std::size_t>(iterations.size(), 1);
  record["steps"]        = iterations.size();
  record["iterations"]   = {{"mean", std::accumulate(iterations.begin(), iterations.end(), 0.) / n},
                            {"max", iterations.empty() ? 0 : *std::max_element(iterations.begin(), iterations.end())}};
  auto &timings          = record["timings"];
  for (const auto &[name, seconds] : timer.get_summary_data(dealii::TimerOutput::total_wall_time))
    timings[name] = seconds;
  timings["time_loop"]                = time_loop.wall_time();
  timings["total"]                    = total.wall_time();
  record["peak_memory_bytes"]["host"] = host_memory();
  timer.print_summary();
  if (!writes())
    return;
  if (!statistics_text.empty())
    write_file(file("statistics.csv"), statistics_text);
  write_file(file("run.json"), record.dump(2) + "\n");
  std::cout << "written to " << output_folder << "/run.json" << std::endl;
}
} // namespace adamant
