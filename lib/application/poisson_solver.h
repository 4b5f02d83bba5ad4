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
  /// The solutions of `order` earlier steps make the guess.
  PoissonSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
                unsigned int order)
    : multigrid(std::make_unique<LinearSolver>(device, levels, options))
    , guess(device, order)
  {}
  /// On a tensor product of meshes with these eigenpairs.
  PoissonSolver(const Device &device, const std::vector<Eigenpairs> &directions)
    : guess(device, 0)
    , direct(std::in_place, device, directions)
  {}

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
