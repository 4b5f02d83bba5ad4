#pragma once

#include "algebra/profiler_range.h"
#include "application/checkpoint.h"
#include "application/parameters.h"
#include "application/progress.h"
#include "base/command_line.h"
#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/run_record.h"
#include "discretization/meshes/mesh.h"
#include "discretization/meshes/stored_mesh.h"
#include "application/dispatch.h"

#include <deal.II/base/timer.h>

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
namespace internal
{
/// For tests of programs: throws RunError at the begin of the N-th section of this name on one rank where the environment variable
/// ADAMANT_FAIL=RANK:NAME:N wants it.
void fail_for_test(const std::string &section);
} // namespace internal

/// A part of the program in the timing table and in profilers.
class Section
{
public:
  Section(dealii::TimerOutput &timer, const std::string &name)
    : scope(timer, name)
    , range(name)
  {
    internal::fail_for_test(name);
  }

private:
  dealii::TimerOutput::Scope scope;
  ProfilerRange              range;
};

/// Ends a program with --dry-run where the time loop would begin.
struct EndOfDryRun
{
};

/// Section "Ranks": what only a run on several ranks needs (mpirun -np N).
struct RankParameters : dealii::ParameterAcceptor
{
  bool         distributed_mesh = false, share_devices = false;
  unsigned int cells_per_rank = 0; ///< 0: the backend's choice

  RankParameters();
};

/// What an application gets for one run: its output folder, its timers and its record.
class Run
{
public:
  /// Unless the run is dry, makes the output folder and writes the effective parameters into it; throws InputError where
  /// it cannot. `reader` is the checkpoint that the run continues, or null.
  Run(const std::string &application, const CommandLine &line, const CheckpointParameters &checkpoints,
      std::unique_ptr<CheckpointReader> reader, const std::string &backend, const std::string &device, int threads,
      const RankParameters &rank_parameters = RankParameters());

  const Communicator ranks; ///< all ranks of the program

  /// Of multigrid's levels at least, see Hierarchy: unless the parameters give it, as many as have the unknowns that are worth a
  /// message; an element's are `dofs_per_cell`.
  unsigned int cells_per_rank(unsigned int dofs_per_cell) const;

  /// An empty mesh: of p4est where ranks share it or the parameters want it, else serial.
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>> create_mesh() const
  {
    return adamant::create_mesh<dim>(ranks, distributed_mesh);
  }

  std::string folder() const { return dry_run ? "" : output_folder; } ///< empty with --dry-run
  std::string file(const std::string &name) const { return output_folder + "/" + name; }

  dealii::TimerOutput timer;  ///< scopes "init", "rhs", "solve", "copy", "output": the parts of the timing table
  RunRecord           record; ///< written as run.json by `finish`

  /// Adds a row to statistics.csv; the first call's names make its header.
  void statistics(const std::vector<std::pair<std::string, double>> &row);

  /// @name Checkpoints
  /// @{
  bool continues() const { return reader != nullptr; } ///< a checkpoint
  /// Loads the next of the objects that `checkpoint` saved: by Boost's serialization.
  template <typename Object>
  void load(Object &object)
  {
    reader->load(object);
  }
  /// The mesh that `checkpoint` saved first, as a StoredMesh; on its manifolds see there.
  template <int dim>
  void load_mesh(dealii::Triangulation<dim> &mesh, const dealii::Triangulation<dim> *coarse = nullptr)
  {
    StoredMesh<dim> stored(mesh, coarse);
    reader->load(stored);
  }
  /// After a step: where it is time, writes a checkpoint with the objects. Throws Interrupted where the run has to end.
  template <typename... Objects>
  void checkpoint(unsigned int step, double time, const Objects &...objects)
  {
    write_checkpoint(step, time, [&](CheckpointWriter::Archive &archive) { (archive << ... << objects); });
  }
  /// @}

  /// Whether initial values are to be written: not where the run continues a checkpoint.
  bool writes_initial_values() const { return !continues(); }
  bool is_dry() const { return dry_run; } ///< --dry-run: only the set-up is wanted

  /// For run.json and --dry-run: the unknowns and cells of the finest mesh on all ranks, the levels of the linear system (the
  /// finest last), how it is solved, and from how many earlier solutions initial guesses are extrapolated.
  void describe(std::size_t n_unknowns, std::size_t n_cells, const std::vector<LevelData> &levels,
                const LinearSolverParameters &linear_solver, unsigned int extrapolation_order = 0);

  /// For run.json: time and launches of one V-cycle where it runs on a GPU.
  template <class Backend>
  void measure([[maybe_unused]] const LinearSolver<Backend> &solver)
  {
    if constexpr (Backend::asynchronous)
      {
        const auto cost   = solver.measure_preconditioner();
        record["v_cycle"] = {{"seconds", cost.seconds}, {"graph_nodes", cost.launches}};
        std::cout << "V-cycle: " << cost.launches << " graph nodes, " << 1e6 * cost.seconds << " us" << std::endl;
      }
  }

  /// Everything before it is "init" in run.json. Steps `done` + 1 to `n_steps` follow. Throws InputError where `done` are more, and
  /// EndOfDryRun.
  void begin_time_loop(unsigned int done, unsigned int n_steps);
  void end_time_loop();

  /// After each step: shows where the time loop stands (see Progress), and counts steps and iterations for run.json.
  void progress(unsigned int step, double time, int iterations, double residual);

  /// Bytes of device memory in use, by purpose, and the most so far; null for the host.
  std::function<std::pair<std::map<std::string, std::size_t>, std::size_t>()> device_memory;

  void stop();   ///< the clock: what follows does not belong to the run
  void finish(); ///< prints the timing table and writes run.json

private:
  void         make_output_folder() const;
  std::int64_t host_memory() const; // the most so far, all ranks' together
  void         describe_balance(const CSRMatrix<double> &matrix);
  void         print_size() const;
  void write_checkpoint(unsigned int step, double time, const std::function<void(CheckpointWriter::Archive &)> &save);

  bool writes() const { return !dry_run && ranks.rank() == 0; } // files

  const unsigned int                least_cells, least_bilinear_cells; // of a level for each rank; 0: by unknowns
  const bool                        distributed_mesh;
  std::string                       output_folder, statistics_text;
  dealii::Timer                     total, time_loop;
  Progress                          live;
  unsigned int                      n_steps = 0;
  const bool                        dry_run;
  std::size_t                       bytes_of_time_loop = 0; // of device vectors that the first steps create
  CheckpointHeader                  header;                 // of the next checkpoint
  std::unique_ptr<CheckpointReader> reader;
  CheckpointWriter                  writer;
};

/// The folder for all files of a run: --output, else that of --restart, else output/APPLICATION.
std::string output_folder(const CommandLine &line, const std::string &application);

/// The most unknowns of a problem: each rank counts its own with 32 bits, deal.II those of all with as many as it was built with.
double most_unknowns();

/// Prints version, libraries, backend, device and threads.
void print_header(const std::string &application, const std::string &backend, const std::string &device, int threads,
                  int n_ranks = 1);

namespace internal
{
/// Runs `body` between MPI's start and end; turns exceptions into one message and the exit code: 2 for the user's input,
/// 3 where the run ends early with a checkpoint, 1 for everything else that goes wrong. On several ranks an exception on any of
/// them ends them all. Only the first one's std::cout is seen.
int guarded_main(const std::string &application, const std::function<int()> &body);
/// The cores that this process may use, or `requested` where that is not 0. Ranks that are not bound to cores of their own share
/// those of their machine.
int number_of_threads(int requested, const Communicator &ranks);
/// Sets the threads of deal.II and OpenMP.
void set_threads(int n_threads);
} // namespace internal

/// main() of an application: reads the command line and the parameters into a `Parameters` object (made of
/// ParameterAcceptors), chooses the backend and calls solve(parameters, backend, run). parameters.check() throws InputError where
/// they do not fit together; parameters.may_change() names those that may differ where a checkpoint is continued.
template <typename Parameters, typename Solve>
int run_program(int argc, char **argv, const std::string &application, const std::string &description,
                const Solve &solve)
{
  return internal::guarded_main(application, [&]() -> int {
    const CommandLine line = parse_command_line(argc, argv, application);
    if (line.help)
      std::cout << description << "\n\n" << line.usage;
    if (line.version)
      print_header(application, "", "", 0);
    if (line.help || line.version)
      return 0;
    const Parameters                  parameters;
    const CheckpointParameters        checkpoints;
    const RankParameters              rank_parameters;
    const Communicator                ranks(MPI_COMM_WORLD);
    std::unique_ptr<CheckpointReader> reader;
    if (line.restart)
      reader = std::make_unique<CheckpointReader>(output_folder(line, application), application);
    read_parameters(line, reader ? reader->header.parameters : "");
    parameters.check();
    if (line.print_parameters)
      {
        if (ranks.rank() == 0) // deal.II would not take the others' std::cout
          print_parameters(std::cout, line.json ? dealii::ParameterHandler::JSON : dealii::ParameterHandler::PRM);
        return 0;
      }
    if (reader)
      {
        auto may_change = parameters.may_change();
        may_change.emplace_back("Ranks");
        reader->check_parameters(parameter_text(dealii::ParameterHandler::ShortJSON), may_change);
      }
    const int n_threads = internal::number_of_threads(line.threads, ranks);
    internal::set_threads(n_threads);
    const auto run_on = [&](const auto &backend, const std::string &name) {
      Run run(application, line, checkpoints, std::move(reader), name, backend.device_name(), n_threads,
              rank_parameters);
      print_header(application, name, backend.device_name(), n_threads, ranks.size());
      if constexpr (std::decay_t<decltype(backend)>::asynchronous)
        {
          run.device_memory = [&] {
            return std::make_pair(backend.shared_context()->memory_by_purpose(), backend.peak_memory());
          };
          if (const auto *gpus = backend.shared_context()->ranks(); gpus != nullptr)
            run.record["exchange"] = gpus->description();
        }
      try
        {
          solve(parameters, backend, run);
        }
      catch (const EndOfDryRun &)
        {
          return;
        }
      run.stop();
      run.record["peak_memory_bytes"]["device"] = backend.peak_memory();
      if constexpr (std::decay_t<decltype(backend)>::asynchronous)
        run.record["copy_bandwidth"] = backend.copy_bandwidth();
      run.finish();
    };
    with_backend(line.backend, n_threads, std::cout, run_on, ranks, rank_parameters.share_devices);
    return 0;
  });
}
} // namespace adamant
