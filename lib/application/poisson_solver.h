#pragma once

#include "multigrid/linear_solver.h"
#include "solvers/extrapolation.h"
#include "solvers/fast_diagonalization.h"

#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// The solver of the same Poisson equation in each time step: multigrid from an extrapolated guess, or fast
/// diagonalization.
class PoissonSolver
{
public:
  /// The solutions of `order` earlier steps make the guess; with eigenpairs, those of a tensor product of meshes, there
  /// is no multigrid.
  PoissonSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
                unsigned int order, const std::vector<Eigenpairs> &directions = {})
    : multigrid(directions.empty() ? std::make_unique<LinearSolver>(device, levels, options) : nullptr)
    , guess(device, directions.empty() ? order : 0)
  {
    if (!directions.empty())
      direct.emplace(device, directions);
  }

  /// Throws SolverError where multigrid does not reach its tolerance.
  SolverResult solve(const Vector<double> &b, Vector<double> &x)
  {
    if (multigrid)
      {
        guess.predict(x);
        return multigrid->solve(b, x);
      }
    direct->solve(b, x);
    return {};
  }

  const std::unique_ptr<LinearSolver> multigrid; ///< null where it is the other one
  Extrapolation                       guess;

private:
  std::optional<FastDiagonalization> direct;
};
} // namespace adamant
