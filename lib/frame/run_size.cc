#include "frame/run_size.h"

#include "base/exchange_plan.h"

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace adamant
{
namespace
{
std::string megabytes(double bytes)
{
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 1e-6 * bytes << " MB";
  return text.str();
}

// How far the rank with the most unknowns is above the mean, and ghosts for each unknown.
RunRecord balance(const CSRMatrix<double> &matrix, const Communicator &ranks)
{
  const double owned = matrix.n_rows, ghosts = matrix.ghosts->n_ghosts();
  const auto   unknowns = dealii::Utilities::MPI::min_max_avg(owned, ranks.handle());
  return {{"unknowns", unknowns.max / unknowns.avg},
          {"ghosts", dealii::Utilities::MPI::sum(ghosts, ranks.handle()) / unknowns.sum}};
}
} // namespace

void describe(const RunSize &size, const Communicator &ranks, RunRecord &record)
{
  const auto options  = size.linear_solver.options("");
  record["precision"] = to_text(options.precision);
  record["dofs"]      = size.n_unknowns;
  record["cells"]     = size.n_cells;
  record["levels"]    = RunRecord::array();
  for (const auto &level : size.levels)
    {
      const auto *A      = level.matrix(); // none by cells, which store no entries
      double      sums[] = {double(level.n_rows()), A ? double(A->n_nonzeros()) : 0.};
      ranks.sum(sums, 2);
      record["levels"].push_back({{"dofs", std::llround(sums[0])}, {"nonzeros", std::llround(sums[1])}});
    }
  if (ranks.size() > 1)
    record["balance"] = balance(*size.levels.back().matrix(), ranks);
  record["preconditioner"]      = size.linear_solver.preconditioner;
  record["tolerance"]           = size.linear_solver.tolerance;
  record["extrapolation_order"] = size.extrapolation_order;
}

std::size_t bytes_of_time_loop(const RunSize &size, bool on_gpu)
{
  // GMRES keeps a vector in double and a direction in the V-cycle's precision for each iteration. It makes room for
  // four at a time; five to eight are usual, and a loop on a GPU has room for ten. Its loop takes three more vectors in
  // double, of which directions in float spare two on a GPU. Timing the V-cycle takes two.
  const auto        options       = size.linear_solver.options("");
  const bool        in_float      = options.precision == Precision::float32;
  const std::size_t per_iteration = sizeof(double) + (in_float ? sizeof(float) : sizeof(double));
  const std::size_t room = std::min(options.restart, on_gpu ? 12 : 8), in_loop = on_gpu && in_float ? 1 : 3;
  const std::size_t gmres = options.type == SolverType::gmres ? room * per_iteration + in_loop * sizeof(double) : 0;
  return size.levels.back().n_rows() * (gmres + (2 + size.extrapolation_order) * sizeof(double));
}

void print_size(const RunRecord &record, std::size_t host_memory,
                const std::map<std::string, std::size_t> &device_memory, std::size_t device_peak)
{
  std::cout << "dry run: nothing has been written\n"
            << record.at("dofs") << " unknowns, " << record.at("cells") << " cells\n";
  for (std::size_t l = record.at("levels").size(); l-- > 0;)
    std::cout << "  level " << l << ": " << record.at("levels")[l].at("dofs") << " unknowns, "
              << record.at("levels")[l].at("nonzeros") << " nonzeros\n";
  std::cout << "host memory expected: " << megabytes(host_memory) << '\n';
  if (device_peak == 0)
    return;
  std::string parts;
  for (const auto &[purpose, bytes] : device_memory)
    parts += ", " + purpose + " " + megabytes(bytes);
  std::cout << "device memory expected: " << megabytes(device_peak) << " (after the set-up" << parts << ")\n";
}
} // namespace adamant
