#pragma once

#include "parameters.h"

#include "algebra/device.h"
#include "base/exceptions.h"
#include "coefficients/coefficient.h"
#include "coefficients/extremes.h"
#include "coefficients/values_at_points.h"
#include "fem/functions/points.h"
#include "flow/boundary_values.h"
#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"
#include "flow/stable_step.h"
#include "frame/restart/state.h"
#include "heat/heat_statistics.h"
#include "heat/implicit_diffusion.h"
#include "multigrid/smoothers/functors.h"
#include "solvers/krylov.h"

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
using adamant::Array, adamant::PendingResult;

/// A temperature at this rank's nodes of the velocity, and its part of a step: with the velocity u of the step's
/// beginning
///
///   T <- T + dt (Q + (fluxes - sum_d A_d (u_d T) - kappa K T) / m),   then the boundary values.
///
/// Where diffusion is_implicit(), it takes the new T, which end_step() solves for (ImplicitDiffusion).
/// The force of the step is (T_old + T) / 2 times Problem/Buoyancy, with the boundary values in T. Where there is no
/// temperature, functions do nothing. All ranks call all functions together.
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
    , least(on() ? std::min(flow.viscous.least, this->parameters.diffusivity) : flow.viscous.least)
    , implicit(this->parameters.is_implicit(flow.viscous.most))
    , most(on() && !implicit ? std::max(flow.viscous.fastest(), this->parameters.diffusivity) : flow.viscous.fastest())
  {
    if (!on())
      return;
    points   = adamant::support_points(flow.velocity(), mapping);
    heating  = {device, std::size_t(n), at_nodes("Temperature/Heating", this->parameters.heating),
                adamant::depends_on_time(this->parameters.heating), "Temperature/Heating"};
    fluxes   = {device, flow.velocity(), mapping, this->parameters.boundaries};
    weights  = adamant::flux_weights(device, flow.velocity(), mapping, this->parameters.boundaries);
    has_load = this->parameters.heating != "0" || this->parameters.boundaries.has_load();
    varies   = this->parameters.boundaries.vary() || adamant::depends_on_time(this->parameters.heating);
    for (const auto &[id, text] : this->parameters.boundaries.flux)
      varies = varies || adamant::depends_on_time(text);
    hanging.emplace(device, flow.velocity(), 1);
    prescribe(mapping);
    const auto &mesh = flow.velocity().triangulation();
    is_fast          = this->parameters.diffusivity > 2. * flow.viscous.most ||
              !parameters.problem.all(&ProblemParameters::slips, mesh).empty() ||
              !parameters.problem.all(&ProblemParameters::is_open, mesh).empty();
    mass = Vector(device, flow.velocity_mass);
    ones = Vector(device, Array<double>(n, 1.));
    for (Vector *vector : {&T, &T_old, &rhs, &load})
      *vector = Vector(device, n);
    if (!implicit)
      return;
    solver.emplace(device, flow.meshes, mapping, flow.velocity_mass, this->parameters);
    at_rest = Vector(device, dim * n);
  }

  bool on() const { return parameters.on(); }   ///< whether there is a temperature
  bool is_implicit() const { return implicit; } ///< whether its diffusion is

  /// Sets T at time 0, before steps of length dt. Throws InputError for values that are no numbers.
  void set_initial_values(double dt)
  {
    if (!on())
      return;
    if (implicit)
      solver->prepare(dt);
    T.upload(initial_values().data());
    set_boundary(0.);
    constrain();
    device.copy(T, T_old);
  }

  /// Sets values at hanging nodes.
  void constrain()
  {
    if (on())
      hanging->apply(T);
  }

  /// Begins a step of length dt to `time`, and returns what FlowProducts::momentum takes; null: there is no
  /// temperature. Afterwards T_old is the temperature of the beginning. Then end_step(), where diffusion is implicit,
  /// and constrain() have to follow.
  const adamant::HeatStep<dim> *begin_step(double time, double dt)
  {
    if (!on())
      return nullptr;
    std::swap(T, T_old);
    set_boundary(time);
    evaluate(time - dt);
    step = {update(dt), {}};
    if (!implicit)
      std::copy(buoyancy.begin(), buoyancy.end(), step.e);
    return &step;
  }

  /// Launches implicit diffusion, and adds the buoyancy to the velocity's step.
  void end_step(adamant::FlowProducts<dim> &products, const adamant::VelocityUpdate<dim> &update)
  {
    solved = solver->advance(update.dt, T_old, diffusion_by(products), T);
    std::copy(buoyancy.begin(), buoyancy.end(), step.e);
    device.for_each(n, adamant::PressByHeat<dim>{update, step});
  }

  /// Waits for `solved` of a step of length dt to `time`. Throws SolverError, or InputError where data are at fault.
  void finish(const PendingResult &result, double time, double dt)
  try
    {
      if (implicit)
        last.iterations = result.wait().iterations;
    }
  catch (const adamant::SolverError &)
    {
      checked_data(time - dt);
      checked_data(time);
      throw;
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

  /// Returns the limit of a time step of all fields, for a given speed and the expected one. The mean of |u|² is then
  /// at most half the square of the largest speed.
  adamant::StepLimit stable_step(double shortest_edge, double speed, double end)
  {
    const double expected = on() ? expected_speed(end) : 0.;
    return adamant::stable_step(shortest_edge, least, most, std::max(speed, expected),
                                std::max(dim * speed * speed, 0.5 * expected * expected));
  }

  /// Returns the limit for the flow's velocity u at this time.
  adamant::StepLimit stable_step(const Vector &u, double time)
  {
    if (!of_velocity)
      of_velocity.emplace(device, flow.velocity(), least, most);
    return (*of_velocity)(u, time);
  }

  /// Returns an estimate of the largest speed that buoyancy causes until the end time, in fluid of height H. It is
  /// c sqrt(e range H) for the range of initial and prescribed temperatures. Between walls at rest c is 0.35, and 0.9
  /// where warm fluid lies below cold one; where the fluid slips or leaves, or kappa is more than twice the viscosity,
  /// it is 1.25. Without friction c were sqrt(2).
  /// All heat P that arises or comes in as flux gives 2 (e H² P / volume)^(1/3).
  double expected_speed(double end)
  {
    double     bounds[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}; // of -T, T, -x.e and x.e
    double     lift = 0., heat = 0.; // the least covariance of T and the height x.e at a time, and the largest P
    const auto take = [&](const Array<double> &values, const Array<int> *nodes) {
      double sums[4] = {0., 0., 0., 0.}; // of weights, and of weights times T, x.e and both
      for (std::size_t k = 0; k < values.size(); ++k)
        {
          const int    i      = nodes != nullptr ? (*nodes)[k] : static_cast<int>(k);
          const double weight = nodes != nullptr ? 1. : flow.velocity_mass[i];
          double       height = 0.;
          for (int d = 0; d < dim; ++d)
            height += buoyancy[d] * points[std::size_t(d) * n + i];
          const double terms[] = {1., values[k], height, values[k] * height};
          const double signs[] = {-values[k], values[k], -height, height};
          for (int j = 0; j < 4; ++j)
            {
              sums[j] += weight * terms[j];
              bounds[j] = std::max(bounds[j], signs[j]);
            }
        }
      device.communicator().sum(sums, 4);
      if (sums[0] > 0.)
        lift = std::min(lift, (sums[3] - sums[1] * sums[2] / sums[0]) / sums[0]);
    };
    take(initial_values(), nullptr);
    for (unsigned int k = 0; k <= (varies ? 20 : 0); ++k)
      {
        take(checked_data(0.05 * k * end), &prescribed);
        double sum = 0.;
        for (const double value : has_load ? adamant::to_host(load) : Array<double>())
          sum += std::abs(value);
        device.communicator().sum(&sum, 1);
        heat = std::max(heat, sum);
      }
    device.communicator().max(bounds, 4);
    range                 = bounds[0] + bounds[1];
    const double height   = bounds[2] + bounds[3]; // times e
    const double strength = std::hypot(buoyancy[0], buoyancy[1], dim > 2 ? buoyancy[dim - 1] : 0.);
    const double factor   = is_fast ? 1.25 : lift < -0.02 * range * height ? 0.9 : 0.35;
    return std::max(factor * std::sqrt(std::max(0., range * height)),
                    strength > 0. ? 2. * std::cbrt(height * height * heat / (strength * device.dot(mass, ones))) : 0.);
  }

  /// Computes heating and fluxes at this time, and returns the prescribed values, in host memory. Throws InputError for
  /// values that are no numbers.
  Array<double> checked_data(double time)
  {
    const auto check = [&](const std::string &key, const Vector &values) {
      auto result = adamant::to_host(values);
      adamant::require_numbers(device.communicator(), "Temperature/" + key + " at time " + adamant::to_text(time),
                               result);
      return result;
    };
    if (on() && has_load)
      {
        check("Heating", heating.at(time));
        evaluate(time);
        check("Flux", load);
      }
    return on() ? check("Boundary values", boundary.at(time)) : Array<double>();
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
    if (implicit)
      solver->add_change(T_old, T, diffusion_by(products), rhs);
    Vector r(device, n);
    device.for_each(n, adamant::HeatFlux{update(dt), mass.data(), rhs.data(), r.data()});
    for (const auto &[id, of_boundary] : weights)
      last.fluxes[id] = device.dot(of_boundary, r);
    const auto bounds = adamant::extremes(T);
    last.mean         = device.dot(mass, T) / device.dot(mass, ones);
    last.least        = bounds[0];
    last.most         = bounds[1];
    if (std::isfinite(last.mean))
      return;
    checked_data(time - dt);
    checked_data(time);
    throw adamant::RunError("the temperature blew up until time " + adamant::to_text(time) + "; the time step " +
                            adamant::to_text(dt) + " is too long or the mesh too coarse");
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
    if (implicit && !state.changes_mesh())
      solver->serialize(state);
    if (state.loading() && state.changes_mesh())
      {
        set_boundary(time);
        constrain();
      }
  }

  /// Returns the vectors of a file with the temperature at their end.
  std::vector<const Vector *> with(std::vector<const Vector *> vectors) const
  {
    if (on())
      vectors.push_back(&T);
    return vectors;
  }
  /// Returns new and old fields with the temperature at their end. It is at rest where it is 1e-8 of its range.
  adamant::SteadyState::Fields with_old(adamant::SteadyState::Fields fields)
  {
    if (on())
      fields.push_back({&T, &T_old, 1e-8 * range});
    return fields;
  }
  Array<double> on_host() const { return on() ? adamant::to_host(T) : Array<double>(); }

  Vector        T, T_old; ///< nodal values after the step, and before it
  PendingResult solved;   ///< the last launch of end_step()

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

  // Computes kappa K x: the temperature's product without a flow.
  auto diffusion_by(adamant::FlowProducts<dim> &products)
  {
    return [this, &products](Vector &x, Vector &y) {
      hanging->apply(x);
      products.heat_product(at_rest, x, y);
    };
  }

  // Lists the nodes with prescribed values.
  void prescribe(const Mapping<dim> &mapping)
  {
    const auto          &space = flow.velocity();
    Array<unsigned char> listed(n, 0);
    for (const auto &[id, components] : parameters.boundaries.dirichlet(space.triangulation()))
      for (const int i : adamant::nodes_on_boundary(space, id))
        listed[i] = space.is_free(i);
    Array<double> inverse(n, 0.);
    for (int i = 0; i < n; ++i)
      if (listed[i] != 0)
        prescribed.push_back(i);
      else if (space.is_free(i))
        inverse[i] = 1. / flow.velocity_mass[i];
    list         = adamant::List<int>(device, prescribed);
    inverse_mass = Vector(device, inverse);
    boundary =
      parameters.boundaries.values_at(device, space, prescribed, adamant::support_points(space, mapping, prescribed));
  }

  void set_boundary(double time)
  {
    device.for_each(list.size(),
                    adamant::SetAtNodes{1, list.size(), n, list.data(), boundary.at(time).data(), T.data()});
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

  adamant::Device                                device;
  const adamant::SplitHeatParameters            &parameters;
  const adamant::FlowMatrices<dim>              &flow;
  const int                                      n; // nodes
  Array<double>                                  points;
  adamant::ValuesAtPoints                        heating, boundary;
  adamant::BoundaryLoad<dim>                     fluxes;
  std::map<unsigned int, Vector>                 weights; // of nodes, by boundary with prescribed values
  std::optional<adamant::HangingNodes<dim>>      hanging;
  Array<int>                                     prescribed; // the nodes with prescribed values
  adamant::List<int>                             list;       // and on the device
  Vector                                         mass, inverse_mass, ones, rhs, load;
  adamant::HeatStep<dim>                         step = {};
  const std::vector<double>                      buoyancy;
  const double                                   least; // of viscosity and diffusivity
  const bool                                     implicit;
  const double                                   most;          // of both, as far as they are explicit
  double                                         range    = 0.; // of initial and prescribed temperatures
  bool                                           has_load = false, varies = false, is_fast = false;
  std::optional<adamant::StepOfVelocity<dim>>    of_velocity;
  std::optional<adamant::ImplicitDiffusion<dim>> solver;
  Vector                                         at_rest; // a velocity
  adamant::HeatStatistics                        last;    // after the last step that had statistics
};
} // namespace navier_stokes
