#pragma once

#include "algebra/graph.h"
#include "multigrid/linear_solver.h"
#include "operators/device_level.h"
#include "solvers/extrapolation.h"
#include "solvers/richardson.h"
#include "tensor/fast_diagonalization.h"

#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// Solves one Poisson equation in each time step: by multigrid from an extrapolated guess, or by fast diagonalization,
/// below float64 with refinement in double.
class PoissonSolver
{
public:
  /// The solutions of `order` earlier steps make the guess. With eigenpairs of a tensor product of meshes there is no
  /// multigrid.
  PoissonSolver(const Device &device, const std::vector<LevelData> &levels, const LinearSolverOptions &options,
                unsigned int order, const std::vector<Eigenpairs> &directions = {},
                Arithmetic arithmetic = Arithmetic::float64)
    : multigrid(directions.empty() ? std::make_unique<LinearSolver>(device, levels, options) : nullptr)
    , guess(device, directions.empty() ? order : 0)
  {
    if (directions.empty())
      return;
    direct.emplace(device, directions, arithmetic);
    if (arithmetic == Arithmetic::float64)
      return;
    control = options.control;
    A.emplace(make_matrix<double>(device, levels.back()), device);
    refinement = std::make_unique<Richardson>(device, *A, *direct, "Refinement of fast diagonalization");
  }

  /// Launches a solve, see KrylovMethod::launch; the result throws SolverError where the tolerance is not reached.
  PendingResult launch(const Vector<double> &b, Vector<double> &x)
  {
    if (multigrid)
      {
        guess.predict(x);
        return multigrid->launch(b, x);
      }
    if (refinement)
      {
        x.set_zero();
        return refinement->launch(b, x, control);
      }
    if (!graph || b.data() != from || x.data() != to)
      {
        direct->solve(b, x); // loads data that a recorded graph must not load
        graph =
          Graph(b.device(), on_vectors(b, x, [this](const auto &from_b, auto &to_x) { direct->solve(from_b, to_x); }));
        from = b.data();
        to   = x.data();
      }
    graph.replay();
    return SolverResult();
  }

  const std::unique_ptr<LinearSolver> multigrid; ///< null with fast diagonalization
  Extrapolation                       guess;

private:
  std::optional<FastDiagonalization> direct;
  SolverControl                      control; // of the refinement
  std::optional<MatrixOperator>      A;
  std::unique_ptr<Richardson>        refinement;
  Graph                              graph; // of the solve for the vectors from and to
  const double                      *from = nullptr, *to = nullptr;
};
} // namespace adamant
