#pragma once

#include "application/linear_solver_parameters.h"
#include "base/communicator.h"
#include "base/run_record.h"
#include "multigrid/level_data.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace adamant
{
/// What a run is: for run.json and --dry-run.
struct RunSize
{
  std::size_t                   n_unknowns, n_cells; ///< of the finest mesh, of all ranks
  std::vector<LevelData>        levels;              ///< of the linear system, the finest last
  const LinearSolverParameters &linear_solver;       ///< how it is solved
  unsigned int extrapolation_order = 0; ///< from how many earlier solutions initial guesses are extrapolated
};

/// Adds its keys: precision, dofs, cells, levels, balance (on several ranks), preconditioner, tolerance,
/// extrapolation_order.
void describe(const RunSize &size, const Communicator &ranks, RunRecord &record);

/// Bytes of device vectors that only the first time steps create.
std::size_t bytes_of_time_loop(const RunSize &size);

/// The answer of --dry-run, from what `describe` has put into the record. Memory in bytes, that of the device by
/// purpose; `device_peak` is the most that it has been, or will be, and 0 on the host.
void print_size(const RunRecord &record, std::size_t host_memory,
                const std::map<std::string, std::size_t> &device_memory, std::size_t device_peak);
} // namespace adamant
