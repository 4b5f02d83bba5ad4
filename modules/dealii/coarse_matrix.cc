#include "dealii/coarse_matrix.h"

#include "base/exceptions.h"
#include "dealii/matrix_levels.h"
#include "dealii/ranks.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/smoothers/registry.h"
#include "multigrid/smoothers/update_functors.h"

#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_pattern.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace adamant
{
namespace
{
#ifdef DEAL_II_WITH_UMFPACK
ExternalSolver umfpack(const CSRMatrix<double> &A)
{
  if (A.n_rows == 0) // another rank has them
    return [](const Array<double> &, Array<double> &) {};
  dealii::DynamicSparsityPattern entries(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      entries.add(i, A.column[k]);
  dealii::SparsityPattern pattern;
  pattern.copy_from(entries);
  dealii::SparseMatrix<double> matrix(pattern);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      matrix.set(i, A.column[k], A.value[k]);
  const auto solver = std::make_shared<dealii::SparseDirectUMFPACK>();
  solver->factorize(matrix);
  dealii::Vector<double> expected(A.n_rows), found(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    expected[i] = std::sin(1. + i);
  matrix.vmult(found, expected);
  solver->solve(found);
  found -= expected;
  if (!(found.l2_norm() <= 1e-3 * expected.l2_norm())) // a kernel that rounding hides
    throw RunError("coarsest level: its matrix cannot be inverted (rounding decides on the solution); does the problem "
                   "lack boundary conditions?");
  return [solver](const Array<double> &b, Array<double> &x) {
    dealii::Vector<double> values(b.begin(), b.end());
    solver->solve(values);
    std::copy(values.begin(), values.end(), x.begin());
  };
}
#endif

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
#ifdef DEAL_II_WITH_UMFPACK
  options.coarse_solver      = CoarseSolverType::external;
  options.make_coarse_solver = [ranks](const CSRMatrix<double> &A) {
    ExternalSolver solver;
    agreed(ranks, [&] { solver = umfpack(A); }); // the rank that has the matrix may find it singular
    return solver;
  };
#else
  smooth_only(options, 60);
#endif
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
