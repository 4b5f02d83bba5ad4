#pragma once

#include "flow_level.h"

#include "base/run_record.h"
#include "solvers/krylov.h"

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace stationary_navier_stokes
{
/// Leads Newton's method to a solution by way of larger viscosities, where the guess is too far away.
template <int dim>
class Continuation
{
public:
  using Vector = adamant::Vector<double>;

  /// `record` gets the mesh, viscosity and steps of each solve.
  Continuation(const Parameters &parameters, adamant::RunRecord &record)
    : parameters(parameters)
    , record(record)
  {}

  double last_viscosity = 0.; ///< viscosity of the last solution, on any mesh; 0: there is none

  /// Solves from the guess x until ‖F‖ <= tolerance times `scale`, or times its first value where `scale` is 0. A fluid
  /// at rest goes through given viscosities. Throws SolverError where the way is too far; x is then the last solution,
  /// for last_viscosity, or unchanged.
  adamant::NewtonResult solve(FlowLevel<dim> &flow, double tolerance, double scale, Vector &x)
  {
    if (last_viscosity == 0.)
      for (const double viscosity : stages(flow))
        approach(flow, viscosity, parameters.nonlinear.level_tolerance, 0., x, 0);
    return approach(flow, flow.viscosity, tolerance, scale, x, 0);
  }

  /// Returns advice for a solve that has failed.
  std::string advice() const
  {
    return (last_viscosity > 0. ? "; the last solution is that of viscosity " + adamant::to_text(last_viscosity) :
                                  std::string("; there is no solution of a larger viscosity")) +
           "; give Nonlinear solver/Continuation more of them, or refine the mesh";
  }

private:
  static constexpr unsigned int most_halvings = 5;

  // Returns the viscosities before the wanted one, for a fluid at rest.
  std::vector<double> stages(const FlowLevel<dim> &flow) const
  {
    if (!parameters.nonlinear.continuation.empty())
      return parameters.nonlinear.continuation;
    const double        nu = flow.viscosity, reynolds = flow.speed_times_length() / nu;
    std::vector<double> result;
    if (reynolds <= (dim == 2 ? 2000. : 500.))
      return result;
    const int n = static_cast<int>(std::ceil(std::log(reynolds / 100.) / std::log(2.5)));
    for (int k = 0; k < n; ++k)
      result.push_back(nu * std::pow(reynolds / 100., 1. - double(k) / n));
    return result;
  }

  // Solves for a viscosity. Where Newton's method fails, it halves the step from the last viscosity, in its logarithm.
  adamant::NewtonResult approach(FlowLevel<dim> &flow, double viscosity, double tolerance, double scale, Vector &x,
                                 unsigned int halvings)
  {
    Vector guess = flow.on_device.vector();
    flow.device.copy(x, guess);
    try
      {
        const auto result = flow.solve_nonlinear(viscosity, tolerance, scale, last_viscosity == 0., x);
        last_viscosity    = viscosity;
        add(flow, viscosity, result);
        return result;
      }
    catch (const adamant::SolverError &)
      {
        flow.device.copy(guess, x);
        if (halvings == most_halvings)
          throw;
      }
    // The smallest of viscosities that vary differs from mesh to mesh.
    const double from = last_viscosity > 1.01 * viscosity ? last_viscosity : 10. * viscosity;
    approach(flow, std::sqrt(from * viscosity), parameters.nonlinear.level_tolerance, 0., x, halvings + 1);
    return approach(flow, viscosity, tolerance, scale, x, halvings + 1);
  }

  void add(const FlowLevel<dim> &flow, double viscosity, const adamant::NewtonResult &result)
  {
    adamant::RunRecord steps = adamant::RunRecord::array();
    for (const auto &step : result.history)
      steps.push_back({{"kind", step.kind == adamant::Linearization::newton ? "newton" : "picard"},
                       {"tolerance", step.tolerance},
                       {"iterations", step.iterations},
                       {"length", step.length},
                       {"residual", step.residual}});
    std::cout << flow.field.finest().n_cells() << " cells, viscosity " << viscosity << ": " << result.steps
              << " steps, " << result.iterations << " iterations, residual " << result.final_residual << std::endl;
    record.push_back({{"cells", flow.field.finest().n_cells()},
                      {"viscosity", viscosity},
                      {"initial_residual", result.initial_residual},
                      {"final_residual", result.final_residual},
                      {"iterations", result.iterations},
                      {"steps", steps}});
  }

  const Parameters   &parameters;
  adamant::RunRecord &record;
};
} // namespace stationary_navier_stokes
