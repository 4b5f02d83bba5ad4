#pragma once

#include "parameters.h"

#include "discretization/fields/tensor_product.h"
#include "discretization/forms/flow_matrices.h"
#include "multigrid/linear_solver.h"
#include "solvers/extrapolation.h"
#include "solvers/fast_diagonalization.h"

#include <memory>
#include <optional>

namespace navier_stokes
{
/// The solver of the pressure equation: multigrid from an extrapolated guess, or fast diagonalization.
template <int dim>
class PressureSolver
{
public:
  using Vector = adamant::Vector<double>;

  PressureSolver(const adamant::Device &device, const Parameters &parameters, const adamant::FlowMatrices<dim> &flow,
                 const Mapping<dim> &mapping)
    : guess(device, parameters.time.extrapolation_order)
  {
    if (parameters.implementation.pressure_solver == "fast_diagonalization")
      direct.emplace(device, adamant::tensor_product_eigenpairs(flow.pressure(), mapping));
    else
      multigrid = std::make_unique<adamant::LinearSolver>(device, flow.pressure_levels,
                                                          parameters.linear_solver.options("pressure"));
  }

  /// Throws SolverError where multigrid does not reach its tolerance.
  adamant::SolverResult solve(const Vector &b, Vector &q)
  {
    if (direct)
      {
        direct->solve(b, q);
        return {};
      }
    guess.predict(q);
    return multigrid->solve(b, q);
  }

  std::unique_ptr<adamant::LinearSolver> multigrid; ///< null where it is the other one
  adamant::Extrapolation                 guess;

private:
  std::optional<adamant::FastDiagonalization> direct;
};
} // namespace navier_stokes
