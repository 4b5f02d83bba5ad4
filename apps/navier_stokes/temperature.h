#pragma once

#include "parameters.h"

#include "algebra/device.h"
#include "coefficients/coefficient.h"
#include "coefficients/extremes.h"
#include "expressions/values_at_points.h"
#include "fem/functions/points.h"
#include "flow/boundary_values.h"
#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"
#include "flow/stable_step.h"
#include "frame/restart/state.h"
#include "heat/heat_statistics.h"
#include "multigrid/smoothers/functors.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace navier_stokes
{
using adamant::Array;

/// A temperature at this rank's nodes of the velocity, and its part of a step: with the velocity u of the step's
/// beginning
///
///   T <- T + dt (Q + (fluxes - sum_d A_d (u_d T) - kappa K T) / m),   then the boundary values.
///
/// The force of the step is (T_old + T) / 2 times Problem/Buoyancy. Where there is no temperature, functions do nothing.
/// All ranks call all functions together.
template <int dim>
class Temperature
{
public:
  using Vector = adamant::Vector<double>;

  /// The arguments have to outlive the object. Throws InputError where boundaries or values do not fit.
  Temperature(const adamant::Device &device, const Parameters &parameters, const adamant::FlowMatrices<dim> &flow,
              const Mapping<dim> &mapping)
    : device(device)
    , parameters(parameters.temperature)
    , flow(flow)
    , n(on() ? flow.velocity().n_owned() : 0)
    , buoyancy(parameters.problem.buoyancy_in(dim))
  {
    if (!on())
      return;
    points   = adamant::support_points(flow.velocity(), mapping);
    heating  = {device, std::size_t(n), at_nodes("Temperature/Heating", this->parameters.heating),
                adamant::depends_on_time(this->parameters.heating), "Temperature/Heating"};
    fluxes   = {device, flow.velocity(), mapping, this->parameters.boundaries};
    weights  = adamant::flux_weights(device, flow.velocity(), mapping, this->parameters.boundaries);
    has_load = this->parameters.heating != "0" || this->parameters.boundaries.has_load();
    hanging.emplace(device, flow.velocity(), 1);
    prescribe(mapping);
    mass = Vector(device, flow.velocity_mass);
    ones = Vector(device, Array<double>(n, 1.));
    for (Vector *vector : {&T, &T_old, &rhs, &load})
      *vector = Vector(device, n);
    evaluate(0.); // so that values that are no numbers are refused before the first step
  }

  bool on() const { return parameters.on(); } ///< whether there is a temperature

  /// Sets T at time 0. Throws InputError for values that are no numbers.
  void set_initial_values()
  {
    if (!on())
      return;
    T.upload(initial_values().data());
    constrain(0.);
    device.copy(T, T_old);
  }

  /// Sets prescribed values at this time, and values at hanging nodes.
  void constrain(double time)
  {
    if (!on())
      return;
    device.for_each(list.size(),
                    adamant::SetAtNodes{1, list.size(), n, list.data(), boundary.at(time).data(), T.data()});
    hanging->apply(T);
  }

  /// Begins a step of length dt from `time`, and returns what FlowProducts::momentum takes; null: there is no
  /// temperature. Afterwards T_old is the temperature of the beginning, and constrain() has to follow.
  const adamant::HeatStep<dim> *begin_step(double time, double dt)
  {
    if (!on())
      return nullptr;
    std::swap(T, T_old);
    evaluate(time);
    step.update = update(dt);
    std::copy(buoyancy.begin(), buoyancy.end(), step.e);
    return &step;
  }

  /// Adds the buoyancy of the present T to an acceleration in host memory.
  void accelerate(Array<double> &a) const
  {
    if (!on())
      return;
    const auto values = adamant::to_host(T);
    for (int c = 0; c < dim; ++c)
      for (int i = 0; i < n; ++i)
        a[std::size_t(c) * n + i] += buoyancy[c] * values[i];
  }

  /// Returns the κ K of the temperature's step.
  adamant::HeatDiffusion diffusion(const Mapping<dim> &mapping) const
  {
    if (!on())
      return {};
    return {parameters.diffusivity, flow.stiffness(mapping, QGauss<dim>(2))};
  }

  /// Returns the limit of a time step of all fields, for a given speed and the expected one.
  adamant::StepLimit stable_step(double shortest_edge, double speed, double end)
  {
    double least = flow.viscous.least, most = flow.viscous.fastest();
    if (on())
      {
        least = std::min(least, parameters.diffusivity);
        most  = std::max(most, parameters.diffusivity);
        speed = std::max(speed, expected_speed(end));
      }
    return adamant::stable_step(shortest_edge, least, most, speed, dim);
  }

  /// Returns an estimate of the largest speed that buoyancy causes until the end time: 0.35 sqrt(e range height). The
  /// range is that of initial and prescribed temperatures, the height that of the domain. Fluids in closed cavities are
  /// slower at all Rayleigh numbers; without friction the factor were sqrt(2).
  double expected_speed(double end)
  {
    double     extremes[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}; // of -T, T, -x.e and x.e
    const auto take        = [&extremes](int k, double value) {
      extremes[k]     = std::max(extremes[k], -value);
      extremes[k + 1] = std::max(extremes[k + 1], value);
    };
    for (const double value : initial_values())
      take(0, value);
    for (unsigned int k = 0; k <= (parameters.boundaries.vary() ? 20 : 0); ++k)
      {
        const auto values = adamant::to_host(boundary.at(0.05 * k * end));
        adamant::require_numbers(device.communicator(), "Temperature/Boundary values", values);
        for (const double value : values)
          take(0, value);
      }
    for (int i = 0; i < n; ++i)
      {
        double height = 0.;
        for (int d = 0; d < dim; ++d)
          height += buoyancy[d] * points[std::size_t(d) * n + i];
        take(2, height);
      }
    device.communicator().max(extremes, 4);
    return 0.35 * std::sqrt(std::max(0., (extremes[0] + extremes[1]) * (extremes[2] + extremes[3])));
  }

  /// Computes the statistics of a step of length dt from u, the velocity of its beginning. The flux through a boundary
  /// with prescribed values is the mean of kappa d_n T, the heat that comes in. It follows from the step's residual at
  /// the boundary's nodes, so that all fluxes and the heating add up to the change of the heat in the domain.
  void evaluate(double time, double dt, const Vector &u, adamant::FlowProducts<dim> &products)
  {
    if (!on())
      return;
    evaluate(time - dt);
    products.heat_product(u, T_old, rhs);
    Vector r(device, n);
    device.for_each(n, adamant::HeatFlux{update(dt), mass.data(), rhs.data(), r.data()});
    for (const auto &[id, of_boundary] : weights)
      last.fluxes[id] = device.dot(of_boundary, r);
    const auto bounds = adamant::extremes(T);
    last.mean         = device.dot(mass, T) / device.dot(mass, ones);
    last.least        = bounds[0];
    last.most         = bounds[1];
  }

  void add_to(adamant::Statistics::Row &row) const
  {
    if (on())
      last.add_to(row);
  }
  void add_to(adamant::RunRecord &record) const
  {
    if (!std::isnan(last.mean)) // else there is none, or no step has been taken
      last.add_to(record);
  }

  /// Saves or loads the state; at `time` on a new mesh.
  void serialize(adamant::State &state, double time)
  {
    if (!on())
      return;
    last.serialize(state);
    state.vector(T, flow.velocity());
    if (state.loading() && state.changes_mesh())
      constrain(time);
  }

  /// Returns the vectors of a file with the temperature at their end.
  std::vector<const Vector *> with(std::vector<const Vector *> vectors) const
  {
    if (on())
      vectors.push_back(&T);
    return vectors;
  }
  /// Returns pairs of new and old fields with the temperature at their end.
  adamant::SteadyState::Fields with_old(adamant::SteadyState::Fields fields)
  {
    if (on())
      fields.emplace_back(&T, &T_old);
    return fields;
  }
  Array<double> on_host() const { return on() ? adamant::to_host(T) : Array<double>(); }

  Vector T, T_old; ///< nodal values after the step, and before it

private:
  adamant::PointFunction at_nodes(const std::string &key, const std::string &text) const
  {
    return adamant::function_at_points<dim>(device, key, text, 1, points);
  }

  Array<double> initial_values() const
  {
    Vector given(device, n);
    at_nodes("Temperature/Initial temperature", parameters.initial)(0., given);
    auto result = adamant::to_host(given);
    adamant::require_numbers(device.communicator(), "Temperature/Initial temperature", result);
    return result;
  }

  // Lists the nodes with prescribed values.
  void prescribe(const Mapping<dim> &mapping)
  {
    const auto          &space = flow.velocity();
    Array<unsigned char> prescribed(n, 0);
    for (const auto &[id, components] : parameters.boundaries.dirichlet(space.triangulation()))
      for (const int i : adamant::nodes_on_boundary(space, id))
        prescribed[i] = space.is_free(i);
    Array<int>    nodes;
    Array<double> inverse(n, 0.);
    for (int i = 0; i < n; ++i)
      if (prescribed[i] != 0)
        nodes.push_back(i);
      else if (space.is_free(i))
        inverse[i] = 1. / flow.velocity_mass[i];
    list         = adamant::List<int>(device, nodes);
    inverse_mass = Vector(device, inverse);
    boundary = parameters.boundaries.values_at(device, space, nodes, adamant::support_points(space, mapping, nodes));
  }

  // Computes heating and fluxes at this time.
  void evaluate(double time)
  {
    if (!has_load)
      return;
    device.for_each(n, adamant::ScaleByDiagonal<double>{1., mass.data(), heating.at(time).data(), load.data()});
    fluxes.add(1., time, load);
  }

  adamant::TemperatureUpdate update(double dt)
  {
    return {dt, T_old.data(), inverse_mass.data(), has_load ? load.data() : nullptr, T.data()};
  }

  adamant::Device                           device;
  const adamant::TemperatureParameters     &parameters;
  const adamant::FlowMatrices<dim>         &flow;
  const int                                 n; // nodes
  Array<double>                             points;
  adamant::ValuesAtPoints                   heating, boundary;
  adamant::BoundaryLoad<dim>                fluxes;
  std::map<unsigned int, Vector>            weights; // of nodes, by boundary with prescribed values
  std::optional<adamant::HangingNodes<dim>> hanging;
  adamant::List<int>                        list; // the nodes with prescribed values
  Vector                                    mass, inverse_mass, ones, rhs, load;
  adamant::HeatStep<dim>                    step = {};
  const std::vector<double>                 buoyancy;
  bool                                      has_load = false;
  adamant::HeatStatistics                   last; // after the last step that had statistics
};
} // namespace navier_stokes
