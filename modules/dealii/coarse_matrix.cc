#include "dealii/coarse_matrix.h"

#include "base/exceptions.h"
#include "dealii/matrix_levels.h"
#include "dealii/ranks.h"
#include "multigrid/coarse_solver.h"

#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_pattern.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
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
  return [solver](const Array<double> &b, Array<double> &x) {
    dealii::Vector<double> values(b.begin(), b.end());
    solver->solve(values);
    std::copy(values.begin(), values.end(), x.begin());
  };
}
#endif

void smooth_only(MultigridOptions &options, int steps)
{
  options.coarse_solver  = CoarseSolverType::smoothing;
  options.coarse_steps   = steps;
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
    return check_coarse_matrix(levels, options, ranks);
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

void check_coarse_matrix(const std::vector<LevelData> &levels, const MultigridOptions &options,
                         const Communicator &ranks)
{
  if (ranks.size() == 1 || options.coarse_solver != CoarseSolverType::dense_inverse)
    return;
  agreed(ranks, [&] {
    if (const auto &A = levels.front().matrix(); A.n_rows > 0)
      dense_inverse(Device::host(1), A);
  });
}
} // namespace adamant
