#pragma once

#include "algebra/device.h"
#include "base/run_record.h"
#include "fem/forms/quadrature_data.h"
#include "frame/run_folder.h"
#include "operators/ghost_values.h"
#include "stokes/stokes_flow.h"

#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// Numbers that describe a slow flow, by quadrature on the device.
struct FlowPower
{
  double speed       = 0.; ///< the root mean square of u
  double work        = 0.; ///< ∫ ρ g · u, of gravity
  double dissipation = 0.; ///< ∫ 2 η ε(u) : ε(u); it equals the work where boundaries do none
};

/// Computes FlowPower at the points of the viscosity's matrices. All ranks call all functions together.
template <int dim>
class PowerOfFlow
{
public:
  /// `flow` and `gravity` have to outlive the object.
  PowerOfFlow(const Device &device, const StokesFlow<dim> &flow, const dealii::Mapping<dim> &mapping,
              const std::vector<double> &gravity);

  /// Returns the numbers for the present velocity and viscosity; `density` has ρ at the points.
  FlowPower operator()(const Vector<double> &density) const;
  /// Adds the numbers and the extremes of the cells' viscosities. They are columns speed, work, dissipation,
  /// least_viscosity and most_viscosity, or keys of run.json with viscosity/min and max.
  void add_to(Statistics::Row &row, const Vector<double> &density) const;
  void add_to(RunRecord &record, const Vector<double> &density) const;

private:
  Device                     device;
  const StokesFlow<dim>     &flow;
  const std::vector<double> &gravity;
  QuadratureData<dim>        of_velocity;
  GhostValues                ghosts;
  Vector<double>             ones;
  mutable Vector<double>     integrals; // of cells
};
} // namespace adamant
