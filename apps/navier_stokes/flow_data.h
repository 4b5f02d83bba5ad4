#pragma once

#include "temperature.h"
#include "tractions.h"

#include "base/run_record.h"
#include "coefficients/level_points.h"
#include "fem/functions/points.h"
#include "flow/boundary_values.h"
#include "flow/flow_functionals.h"
#include "flow/flow_functors.h"
#include "flow/stable_step.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

namespace navier_stokes
{
using adamant::Array;

/// Data that the parameters prescribe, at this rank's nodes of the velocity mesh: boundary velocities, forces and the
/// initial state. All ranks call all functions together.
template <int dim>
class FlowData
{
public:
  using Vector = adamant::Vector<double>;

  /// Throws InputError where more flows out than in until the time `end`, or values are no numbers. Afterwards the
  /// boundary values belong to time 0.
  FlowData(const adamant::Device &device, const ProblemParameters &problem, const adamant::FlowMatrices<dim> &flow,
           const Mapping<dim> &mapping, double end)
    : device(device)
    , problem(problem)
    , flow(flow)
    , n(flow.velocity().n_owned())
    , points(adamant::support_points(flow.velocity(), mapping))
    , boundary(device, "Problem/Boundary velocity", problem.velocities(),
               problem.all(&ProblemParameters::lets_flow, flow.velocity().triangulation()),
               problem.edges == "wall" ? adamant::AtEdges::shortest : adamant::AtEdges::longest, flow.velocity(),
               points)
    , slip(device, "Problem/Boundaries", problem.all(&ProblemParameters::slips, flow.velocity().triangulation()),
           flow.velocity(), boundary.nodes())
    , tractions(device, problem, flow, mapping)
    , force_varies(problem.body_force.depends_on_time())
    , given_force(adamant::function_at_nodes(device, problem.body_force, dim, flow.velocity(), mapping))
  {
    problem.body_force.check_materials(device.communicator(), adamant::materials_of(flow.velocity()));
    Array<double> inverse(n, 0.);
    for (int i = 0; i < n; ++i)
      if (flow.velocity().is_free(i))
        inverse[i] = 1. / flow.velocity_mass[i];
    for (const int i : boundary.nodes())
      inverse[i] = 0.;
    inverse_mass = Vector(device, inverse);

    forced = force_varies || largest(force_at(0.)) > 0.;
    if (has_force() || !problem.tractions().empty())
      force = Vector(device, dim * n);
    set_force(0.);

    reference_speed = largest(initial_velocity());
    for (unsigned int k = 0; k <= (boundary.varies() ? 20 : 0); ++k) // an inflow may grow
      reference_speed = std::max(reference_speed, check_boundary(0.05 * k * end));
    boundary.evaluate(0.);
  }

  /// The largest component of all velocities that are prescribed until the end time, and of the initial one.
  double reference_speed;

  /// Whether more than moving walls and inflows drives the flow: then the data do not tell its speed.
  bool is_driven() const { return has_force() || tractions.any() || problem.is_buoyant(); }

  /// Throws RunError where the mean speed after a step of length dt shows that the velocity explodes. Throws InputError
  /// instead where a force, a boundary velocity or data of the temperature are no numbers in the step.
  void check_speed(double speed, unsigned int step, double time, double dt, const adamant::StepLimit &limit,
                   Temperature<dim> &temperature)
  {
    // With forces there is no other bound than that the flow must not cross the domain in a step.
    const double most =
      reference_speed > 0. && !is_driven() ? 10. * reference_speed : std::pow(flow.pressure_volume, 1. / dim) / dt;
    if (speed <= most)
      return;
    force_at(std::max(0., time - dt));
    check_boundary(time);
    for (const double t : {std::max(0., time - dt), time})
      temperature.checked_data(t);
    adamant::report_blow_up(step, time, dt, speed, reference_speed, limit);
  }

  /// Evaluates forces and boundary velocities that depend on time, at these times.
  void evaluate(double time_of_force, double time_of_boundary)
  {
    if (force_varies || tractions.varies())
      set_force(time_of_force);
    if (tractions.varies())
      tractions.set_pressure(time_of_boundary, time_of_boundary - time_of_force);
    if (boundary.varies())
      boundary.evaluate(time_of_boundary);
  }

  /// Makes a velocity one of the space: nothing flows through boundaries where it slips; hanging nodes follow others.
  void constrain(Vector &u, adamant::HangingNodes<dim> &hanging) const
  {
    slip.apply(u);
    hanging.apply(u);
  }

  bool has_force() const { return forced; } ///< whether a force acts on any rank

  /// Returns f - ∂_t u at time t, for a force on a boundary. The force includes tractions and buoyancy. ∂_t u is
  /// (u - u_old) / dt, of the step of length dt.
  Array<double> lacking_acceleration(double t, double dt, const Array<double> &u, const Array<double> &u_old,
                                     const Temperature<dim> &temperature) const
  {
    auto a = has_force() ? force_at(t) : Array<double>(u.size(), 0.);
    for (std::size_t i = 0; i < u.size(); ++i)
      a[i] -= (u[i] - u_old[i]) / dt;
    tractions.accelerate(t, true, a);
    temperature.accelerate(a);
    return a;
  }

  Array<double> initial_velocity() const
  {
    auto values = nodal_values(problem.initial_velocity, dim, 0.);
    require_finite("Problem/Initial velocity", 0., values);
    return values;
  }
  /// Returns the acceleration that the initial pressure balances, see tested_acceleration. It is empty where forces,
  /// tractions, buoyancy and initial velocity are zero: a start by moving walls alone is impulsive.
  std::optional<Array<double>> initial_acceleration(const Array<double> &u, const Temperature<dim> &temperature) const
  {
    auto f = force_at(0.);
    temperature.accelerate(f);
    if (largest(initial_velocity()) == 0. && largest(f) == 0. && !tractions.any())
      return std::nullopt;
    const auto    inverse = adamant::to_host(inverse_mass);
    Array<double> of_tractions(f.size(), 0.);
    tractions.accelerate(0., false, of_tractions);
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] += inverse[i % n] > 0. ? of_tractions[i] : 0.; // as the viscous term, whose load they balance
    return adamant::tested_acceleration(flow, u, f, inverse);
  }

  /// Adds the errors of a state to the record where the exact solution is known.
  void add_errors(const Array<double> &u, const Array<double> &pressure, double t, adamant::RunRecord &record) const
  {
    if (const auto &text = problem.exact_velocity; !text.empty())
      record["errors"]["l2"] = adamant::lumped_l2_error(flow, u, nodal_values(text, dim, t), false);
    if (const auto &text = problem.exact_pressure; !text.empty())
      record["errors"]["pressure_l2"] =
        adamant::lumped_l2_error(flow, pressure, nodal_values(text, 1, t), flow.singular);
  }

private:
  // Returns an expression's values at the nodes, component by component, in host memory.
  Array<double> nodal_values(const std::string &text, unsigned int n_components, double t) const
  {
    Array<double> values(std::size_t(n_components) * n);
    adamant::evaluate_at_points(*adamant::parse_function<dim>(text, text, n_components), t, points, values.data());
    return values;
  }

  // Returns the body force at time t, as require_finite lets it pass.
  Array<double> force_at(double t) const
  {
    Vector f(device, dim * n);
    given_force(t, f);
    auto values = adamant::to_host(f);
    require_finite("Problem/Body force", t, values);
    return values;
  }

  // Sets f at the nodes that a step moves.
  void set_force(double t)
  {
    if (force.size() == 0)
      return;
    if (has_force())
      given_force(t, force);
    else
      force.set_zero();
    if (!problem.tractions().empty())
      {
        Array<double> a(force.size(), 0.);
        tractions.accelerate(t, false, a);
        device.axpby(1., Vector(device, a), 1., force);
      }
    device.for_each(n, adamant::KeepMoving{dim, n, inverse_mass.data(), force.data()});
  }

  // Throws InputError on all ranks where a value at the nodes is no number.
  void require_finite(const std::string &key, double t, const Array<double> &values) const
  {
    const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    std::ostringstream what;
    if (bad != values.end())
      {
        what << key << " is " << *bad << " at (";
        for (int d = 0; d < dim; ++d)
          what << (d > 0 ? " " : "") << points[std::size_t(d) * n + (bad - values.begin()) % n];
        what << "), t = " << t;
      }
    adamant::require_on_all(flow.velocity().communicator(), what.str());
  }

  // Returns the largest absolute value on all ranks.
  double largest(const Array<double> &values) const
  {
    double most = 0;
    for (const double value : values)
      most = std::max(most, std::abs(value));
    flow.velocity().communicator().max(&most, 1);
    return most;
  }

  // Checks that as much flows out as in, where no open boundary ensures it. Returns the largest component that is
  // prescribed at time t.
  double check_boundary(double t)
  {
    boundary.evaluate(t);
    const auto values = adamant::to_host(boundary.values());
    const bool good   = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    adamant::require_on_all(device.communicator(), good ? "" :
                                                          "Problem/Boundary velocity has values that are no numbers at "
                                                          "time " +
                                                            adamant::to_text(t));
    const auto flux = adamant::boundary_flux(flow, boundary.nodes(), values);
    require(!flow.singular || std::abs(flux.net) <= 1e-2 * flux.scale, // interpolation of the values makes a small flux
            "Problem/Boundary velocity: ", adamant::to_text(flux.net), " more flows out than in at time ",
            adamant::to_text(t), ", which an incompressible fluid cannot do; is an outflow boundary missing?");
    return largest(values);
  }

  adamant::Device                   device;
  const ProblemParameters          &problem;
  const adamant::FlowMatrices<dim> &flow;
  const int                         n; // nodes
  const Array<double>               points;

public:
  adamant::BoundaryValues<dim> boundary;
  adamant::SlipNodes<dim>      slip;
  BoundaryTractions<dim>       tractions;
  Vector                       force;        ///< empty where it is zero
  Vector                       inverse_mass; ///< zero at nodes that no step moves

private:
  const bool                   force_varies;
  const adamant::PointFunction given_force;
  bool                         forced; // whether f is not zero
};
} // namespace navier_stokes
