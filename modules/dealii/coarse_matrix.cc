#include "dealii/coarse_matrix.h"

#include "base/exceptions.h"
#include "dealii/matrix_levels.h"
#include "dealii/ranks.h"
#include "frame/sparse_direct.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/smoothers/registry.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace adamant
{
namespace
{
void smooth_only(MultigridOptions &options, int steps)
{
  options.coarse_solver = CoarseSolverType::smoothing;
  options.coarse_steps  = steps;
  options.smoother.power_steps =
    std::max(options.smoother.power_steps, 15); // many steps amplify what lies above lambda
  options.smoother.range = std::max(options.smoother.range, 0.2 * steps * steps); // what so many steps damp well
}
} // namespace

void choose_coarse_solver(const Device &device, const std::vector<LevelData> &levels, MultigridOptions &options)
{
  if (options.coarse_solver != CoarseSolverType::dense_inverse)
    return;
  const Communicator &ranks   = device.communicator();
  const auto         &A       = levels.front().matrix();
  double              facts[] = {double(A.n_rows), A.n_rows > 0 && A.n_cols != A.n_rows ? 1. : 0.};
  ranks.max(facts, 2);
  const int  n      = static_cast<int>(facts[0]);
  const bool spread = facts[1] > 0.;
  if (spread)
    return smooth_only(options, 30);
  if (device.traits().many_threads && n > 16384)
    refuse("the coarsest level has " + std::to_string(n) +
           " unknowns, and its inverse on a GPU at most 16384; the mesh needs fewer cells before refinement, or "
           "the device has to be the host");
  if (device.traits().many_threads || n <= most_dense_rows)
    {
      options.guard_inversion = [ranks](const auto &invert) { agreed(ranks, invert); };
      return;
    }
  if (!has_sparse_direct)
    return smooth_only(options, 60);
  options.coarse_solver      = CoarseSolverType::external;
  options.make_coarse_solver = [ranks](const CSRMatrix<double> &A) {
    ExternalSolver solver;
    agreed(ranks, [&] { solver = sparse_direct(A); }); // the rank that has the matrix may find it singular
    return solver;
  };
}

namespace
{
// The first row of a block of m rows that is singular; the number of rows where none is.
int singular_block(const Device &device, const LevelData &level, int m)
{
  const auto &A     = level.matrix();
  int         first = A.n_rows;
  if (level.changing())
    {
      const int      n_nodes = A.n_rows / m;
      Vector<double> inverse(device, to_index(std::size_t(A.n_rows) * m, "entries of diagonal blocks"));
      device.for_each(n_nodes, InvertNodeBlocks<double>{level.changing()->view(), m, n_nodes, inverse.data()});
      const auto first_entries = to_host(inverse.part(0, n_nodes)); // NaN where a block is singular
      const auto found =
        std::find_if(first_entries.begin(), first_entries.end(), [](double x) { return std::isnan(x); });
      return m * static_cast<int>(found - first_entries.begin());
    }
#pragma omp parallel for schedule(static) reduction(min : first)
  for (int row = 0; row < A.n_rows; row += m)
    {
      double block[most_node_rows * most_node_rows];
      view_of(A).block(row, m, block);
      if (!invert_small(block, m))
        first = std::min(first, row);
    }
  return first;
}
} // namespace

void check_levels(const Device &device, const std::vector<LevelData> &levels, const MultigridOptions &options,
                  const UserDofs &dofs)
{
  const int size = levels.back().node_size;
  const int m    = smoother_kind(options.smoother.type).node_blocks && size <= most_node_rows ? size : 1;
  agreed(dofs.ranks, [&] {
    for (std::size_t l = levels.size() - (m == 1 ? 1 : 0); l-- > 0;) // the finest diagonal has been looked at
      if (const int row = singular_block(device, levels[l], m); row < levels[l].n_rows())
        {
          const auto k = std::find(dofs.number.begin(), dofs.number.end(), row) - dofs.number.begin();
          refuse((l + 1 < levels.size() ?
                    "on a coarser level the node block of row " + std::to_string(row) :
                    "the block of the node of DoF " + std::to_string(dofs.first + dofs.owned.nth_index_in_set(k))) +
                 " is a singular matrix, which smoothers cannot invert; is a component without an equation?");
        }
  });
}
} // namespace adamant
