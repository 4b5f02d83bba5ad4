#pragma once

#include "algebra/device.h"
#include "base/command_line.h"
#include "base/communicator.h"
#include "base/run_record.h"
#include "frame/output/progress.h"
#include "frame/parameters/device_parameters.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "frame/restart/checkpoint.h"
#include "frame/run_folder.h"
#include "frame/section.h"
#include "multigrid/linear_solver.h"
#include "operators/level_data.h"

#include <deal.II/base/timer.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// The size of a run, for run.json and --dry-run.
struct RunSize
{
  std::size_t                   n_unknowns, n_cells; ///< of the finest mesh, on all ranks together
  std::vector<LevelData>        levels;              ///< levels of the linear system, the finest last
  const LinearSolverParameters &linear_solver;       ///< parameters of its solver
  unsigned int extrapolation_order = 0; ///< number of earlier solutions from which initial guesses are extrapolated
};

/// Thrown by begin_time_loop: ends a program with --dry-run where the time loop would begin.
struct EndOfDryRun
{
};

/// One run of a program: its output folder, its timers, its record and its checkpoints. A program that takes time steps
/// uses it through TimeDependentProblem. Others call begin_time_loop(0, 1) before, and `progress` and end_time_loop
/// after their one solve.
class Run
{
public:
  /// Unless the run is dry, makes the output folder; throws InputError where it cannot be written. `reader` is the
  /// checkpoint that the run continues, or null.
  Run(const std::string &application, const CommandLine &line, const CheckpointParameters &checkpoints,
      std::unique_ptr<CheckpointReader> reader, const Device &device, int threads,
      const RankParameters &rank_parameters);
  ~Run(); ///< removes new folders into which nothing has been written
  Run(const Run &)            = delete;
  Run &operator=(const Run &) = delete;

  const Communicator ranks; ///< all ranks of the program

  /// Whether the mesh is p4est's: where ranks share it, the parameters ask for it, or the checkpoint has such a mesh.
  const bool distributed_mesh;

  /// Returns the least number of cells of a level for each of several ranks (LevelMeshOptions). Unless the section
  /// "Ranks" sets it, the cells have the unknowns of 1000 bilinear elements on the host, of 200000 on GPUs.
  unsigned int cells_per_rank(unsigned int dofs_per_cell) const;

  std::string folder() const { return is_dry() ? "" : output_folder; } ///< empty with --dry-run
  /// Makes the output folder ready, see OutputFolder::begin. Call it before the first file is written, and at the
  /// latest when a step is done: until then the input may be refused. All ranks call it together.
  void begin_output();
  bool writes_output() const { return has_begun; } ///< whether begin_output() has been called

  /// Does a part of the work whose time counts under this name in the timing table and run.json; see Section.
  template <class Work>
  auto timed(const std::string &part, const Work &work)
  {
    const Section scope(timer, part);
    return work();
  }
  SectionTimer timer;      ///< times of the Sections "init/...", "rhs", "solve", "copy", "output", ...
  RunRecord    record;     ///< written as run.json by `finish`
  Statistics   statistics; ///< statistics.csv; rows are written as they come, up to five times a second

  /// @name Checkpoints
  /// @{
  bool              continues() const { return reader != nullptr; } ///< whether it continues a checkpoint
  CheckpointReader &checkpoint() { return *reader; }                ///< the one that it continues
  /// Returns, after a step, whether it is time for a checkpoint or the run has to end. All ranks call it together.
  bool checkpoint_due(unsigned int step, bool last);
  /// Writes a checkpoint with the objects that `save` puts into the archive, where the last call of checkpoint_due
  /// returned true. Throws Interrupted where the run has to end.
  void write_checkpoint(unsigned int step, double time, const std::function<void(CheckpointWriter::Archive &)> &save);
  /// @}

  bool              is_dry() const { return dry_run; } ///< --dry-run: only the set-up is wanted
  const std::string mesh_file;                         ///< of a dry run; empty: none

  /// Records the size for run.json and --dry-run: precision, dofs, cells, levels, balance (on several ranks),
  /// preconditioner, tolerance, extrapolation_order. Call it before the time loop.
  void describe(const RunSize &size);

  /// Records time and launches of one V-cycle for run.json, where it runs on a GPU.
  void measure(const LinearSolver &solver);

  /// Begins the time loop: run.json counts all time before it as "init". Steps `done` + 1 to `n_steps` follow. With
  /// `asks`, checkpoint_due is called after each step: signals wait for it where there are several steps. Throws
  /// InputError where `done` exceeds `n_steps`, and EndOfDryRun.
  void begin_time_loop(unsigned int done, unsigned int n_steps, bool asks = false);
  void end_time_loop();

  /// Counts steps and iterations for run.json and shows the progress of the time loop (see Progress). Call it after
  /// each step. `note` is shown, too.
  void progress(unsigned int step, unsigned int n_steps, double time, int iterations, double residual,
                const std::string &note = "");

  void finish(); ///< stops the clock, prints the timing table and writes run.json

private:
  std::size_t host_memory() const; // the most bytes so far, of all ranks together
  void        print_size() const;  // the answer of --dry-run
  void        continue_from(const CheckpointHeader &from);
  void        write_statistics(bool at_once = true);

  bool        writes() const { return !dry_run && ranks.rank() == 0; } // whether this rank writes files
  std::string file(const std::string &name) const { return output_folder + "/" + name; }

  const Device                      device;
  const RankParameters             &rank_parameters;
  const std::string                 output_folder;
  OutputFolder                      made;
  dealii::Timer                     total, time_loop;
  Progress                          live;
  const bool                        dry_run;
  std::size_t                       bytes_of_steps = 0; // of device vectors that the first steps create
  CheckpointHeader                  header;             // of the next checkpoint
  std::unique_ptr<CheckpointReader> reader;
  CheckpointWriter                  writer;
  bool                              has_begun         = false; // whether it has begun to write into the folder
  bool                              checkpoint_wanted = false;
  std::string                       why_to_end;    // why the run ends after that checkpoint, or empty
  int                               exit_code = 3; // exit code of that end
};
} // namespace adamant
