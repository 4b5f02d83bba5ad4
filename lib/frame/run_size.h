#pragma once

#include "base/communicator.h"
#include "base/run_record.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "operators/level_data.h"

#include <cstddef>
#include <map>
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

/// Adds the size to the record: precision, dofs, cells, levels, balance (on several ranks), preconditioner, tolerance,
/// extrapolation_order.
void describe(const RunSize &size, const Communicator &ranks, RunRecord &record);

/// Returns the bytes of device vectors that only the first time steps create.
std::size_t bytes_of_time_loop(const RunSize &size, bool on_gpu);

/// Prints the answer of --dry-run, from the entries that `describe` has put into the record. Memory is in bytes, the
/// device's by purpose. `device_peak` is the most device memory so far or later, 0 on the host.
void print_size(const RunRecord &record, std::size_t host_memory,
                const std::map<std::string, std::size_t> &device_memory, std::size_t device_peak);
} // namespace adamant
