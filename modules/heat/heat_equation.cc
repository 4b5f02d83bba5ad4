#include "heat/heat_equation.h"

#include "base/exceptions.h"
#include "coefficients/extremes.h"
#include "coefficients/heights.h"
#include "expressions/expressions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/functions/points.h"
#include "frame/linear_solver_setup.h"
#include "heat/heat_kernels.h"
#include "multigrid/smoothers/functors.h"
#include "operators/level_data.h"
#include "scalar/nonlinear_kernels.h"
#include "solvers/krylov.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
dealii::UpdateFlags flags_of(const HeatParameters &parameters)
{
  return dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
         (parameters.is_q2() ? dealii::update_hessians : dealii::update_default);
}

// In space, three points in each direction of a velocity cell would take three times as long as two, which keep the
// order.
template <int dim>
dealii::Quadrature<dim> rule_of(const HeatParameters &parameters)
{
  return parameters.is_q2() ? CoarserCells<dim>::in_parts(dim == 2 ? 3 : 2) :
                              dealii::Quadrature<dim>(dealii::QGauss<dim>(2));
}

template <int dim>
Field<dim> make_field(const Field<dim> &velocity, const HeatParameters &parameters, const DirichletBoundary &dirichlet)
{
  if (velocity.element().n_components() != dim || velocity.element().degree != 1)
    throw RunError("a temperature needs a bilinear velocity");
  const dealii::FE_Q<dim> element(parameters.is_q2() ? 2 : 1);
  return Field<dim>(velocity.meshes(), "temperature", element, dirichlet,
                    parameters.is_q2() ? std::optional<std::size_t>(halved_level(velocity.meshes())) : std::nullopt);
}

// The places of the nodes in the reference cell, of which an edge has this length.
template <int dim>
Array<double> places_of_nodes(const dealii::FiniteElement<dim> &element, int length)
{
  Array<double> places;
  for (const auto i : first_components(element))
    for (int d = 0; d < dim; ++d)
      places.push_back(length * element.unit_support_point(i)[d]);
  return places;
}
} // namespace

template <int dim>
HeatEquation<dim>::HeatEquation(const Device &device, const Field<dim> &velocity, const dealii::Mapping<dim> &mapping,
                                const HeatParameters &parameters, LimitedTransport<dim> *transport)
  : device(device)
  , parameters(parameters)
  , mapping(mapping)
  , velocity(velocity)
  , transport(parameters.advection == "limited" ? transport : nullptr)
  , quadrature(rule_of<dim>(parameters))
  , host(make_field(velocity, parameters, parameters.boundaries.dirichlet(velocity.finest().triangulation())))
  , unconstrained(make_field(velocity, parameters, {}))
  , coarser(parameters.is_q2() ? std::make_unique<CoarserCells<dim>>(device, velocity, unconstrained, mapping) :
                                 nullptr)
  , field(device, host, mapping)
  , points(device, host.finest(), mapping, quadrature, flags_of(parameters))
  , velocities(device, flow_here())
  , ghosts(device, exchange_plan(host.finest().partition()), host.finest().n_owned())
  , E(device, sum_of_cell_loads(unconstrained.finest()))
  , load(device, unconstrained.finest(), mapping, parameters.boundaries)
  , position(device, places_of_nodes(flow_here().element(), parameters.is_q2() ? 2 : 1))
  , A("temperature", host, unknowns(host), mapping, quadrature, flags_of(parameters), nullptr, Levels::all)
{
  parameters.linear_solver.require_ranks(device.communicator().size());
  if (parameters.advection == "limited" && !is_limited())
    throw RunError("a temperature with limited advection needs a transport");
  first_point = {0};
  for (std::size_t l = 0; l < host.n_levels(); ++l)
    {
      of_velocity.emplace_back(device, flow_here().space(l), mapping, quadrature);
      first_point.push_back(first_point.back() + of_velocity[l].n_points());
    }
  const int n  = n_points();
  flow         = Vector<double>(device, to_index(std::size_t(dim + 1) * first_point.back(), "velocities at points"));
  integrands   = Vector<double>(device, to_index(std::size_t(dim + 1) * n, "integrands at points"));
  of_cells     = Vector<double>(device, to_index(std::size_t(space().n_cells()) * space().dofs_per_cell(), "loads"));
  courant_rate = Vector<double>(device, n);
  for (auto *vector : {&T, &T_old, &before, &rate, &x, &b, &r})
    *vector = field.vector();
  u_star   = Vector<double>(device, velocity.finest().n_owned());
  u_before = Vector<double>(device, velocity.finest().n_owned());
  boundary = parameters.boundaries.values_at(device, space(), space().prescribed, field.prescribed_nodes());
  heating  = {
     device, std::size_t(n),
     function_at_points<dim>(device, "Temperature/Heating", parameters.heating, 1, field.quadrature_points(quadrature)),
     depends_on_time(parameters.heating), "Temperature/Heating"};
  Array<double> one(integrands.size(), 0.);
  std::fill(one.begin(), one.begin() + n, 1.);
  integrands.upload(one.data());
  integrals = field.vector();
  add_loads(integrals);
  volume = device.dot(integrals, Vector<double>(device, Array<double>(space().n_owned(), 1.)));
  Array<double> is_free(space().n_owned());
  for (int i = 0; i < space().n_owned(); ++i)
    is_free[i] = space().is_free(i);
  free    = Vector<double>(device, is_free);
  mean_on = flux_weights(device, unconstrained.finest(), mapping, parameters.boundaries);
  ones    = Vector<double>(device, Array<double>(space().n_cells(), 1.));
  if (!is_limited())
    return;
  first_half = field.vector();
  fastest    = 4. * std::sqrt(2.) / 3. * largest_rate(parameters.diffusivity); // of squares; of cubes 8/9 Σ κ/h²
}

// Computes the largest |J⁻¹ u| + κ √(G : G) of the points, with the velocities of the finest level.
template <int dim>
double HeatEquation<dim>::largest_rate(double kappa)
{
  flow_at_points(of_velocity.size() - 1, kappa, false, courant_rate.data());
  return extremes(courant_rate)[1];
}

template <int dim>
void HeatEquation<dim>::watch(Notes &to, const std::set<unsigned int> &given, const std::set<unsigned int> &open)
{
  const auto inflow = [this](std::set<unsigned int> ids) {
    for (const auto &of_boundary : mean_on)
      ids.erase(of_boundary.first);
    for (const auto &of_boundary : parameters.boundaries.flux)
      ids.erase(of_boundary.first);
    return Inflow<dim>(device, velocity.finest(), mapping, ids);
  };
  notes        = &to;
  is_open      = !open.empty();
  given_inflow = inflow(given);
  open_inflow  = inflow(open);
}

template <int dim>
void HeatEquation<dim>::set_initial_values()
{
  const std::string key     = "Temperature/Initial temperature";
  const auto        initial = parse_function<dim>(key, parameters.initial, 1);
  const auto        values  = nodal_values(space(), mapping, *initial);
  require_numbers(device.communicator(), key, values);
  x.upload(values.data());
  field.nodal_values(x, boundary.at(0.), T);
  device.copy(T, T_old);
  range = extremes(T);
  heating.at(0.);
  load.add(0., 0., r); // for its values' check
}

template <int dim>
void HeatEquation<dim>::check_start(const Vector<double> &u)
{
  for (const auto id : given_inflow.boundaries(u, 1e-8))
    throw InputError("Problem/Boundary velocity: the flow enters through boundary " + std::to_string(id) +
                     ", where Temperature/Boundary values has no temperature, and Temperature/Flux no flux");
  if (notes == nullptr || !mean_on.empty() || is_open)
    return;
  integrands.set_zero();
  auto of_density = integrands.part(0, n_points());
  device.copy(heating.at(0.), of_density);
  r.set_zero();
  add_loads(r);
  load.add(1., 0., r);
  const double heat = device.dot(r, Vector<double>(device, Array<double>(r.size(), 1.)));
  r.set_zero();
  if (std::abs(heat) > 1e-12 * volume)
    notes->once("way out", "no boundary has a temperature, so that the heat " +
                             std::string(heat > 0. ? "has no way out: with " : "that leaves is not replaced: with ") +
                             to_text(heat) + " in a unit of time the temperature " + (heat > 0. ? "grows" : "falls") +
                             " without end; Temperature/Boundary values gives one");
}

template <int dim>
void HeatEquation<dim>::check_rest(double viscosity, const std::vector<double> &gravity,
                                   const Vector<double> &density) const
{
  const auto up   = upwards<dim>(gravity);
  const auto g    = std::sqrt(std::inner_product(gravity.begin(), gravity.begin() + dim, gravity.begin(), 0.));
  const auto note = conduction_note(
    device.communicator(), parameters.diffusivity, viscosity, g, height_range(space(), up),
    heights_of(quadrature_points(velocity.finest(), mapping, dealii::QGauss<dim>(2)), up), to_host(density));
  if (notes != nullptr && !note.empty())
    notes->once("rest", note);
}

// Evaluates the velocity and τ on a level; see FlowAtPoints.
template <int dim>
void HeatEquation<dim>::flow_at_points(std::size_t level, double kappa, bool upwind, double *rate)
{
  device.for_each(of_velocity[level].n_points(),
                  FlowAtPoints<dim>{of_velocity[level].view(), position.data(), velocities[level].data(), kappa, upwind,
                                    flow.data() + first_point[level], rate, first_point.back()});
}

template <int dim>
double HeatEquation<dim>::next_step(const Vector<double> &u)
{
  velocities.update_finest(here(u));
  const double most    = largest_rate(last_step > 0. ? 0. : parameters.diffusivity); // then `growth` limits steps
  const double longest = most > 0. ? parameters.courant / most : std::numeric_limits<double>::infinity();
  return last_step > 0. ? std::min(longest, parameters.growth * last_step) : longest;
}

// Computes the velocity u_star and τ at the points of all levels.
template <int dim>
void HeatEquation<dim>::set_flow()
{
  velocities.update(here(u_star));
  for (std::size_t l = 0; l < of_velocity.size(); ++l)
    flow_at_points(l, parameters.diffusivity, parameters.advection == "supg", nullptr);
}

template <int dim>
void HeatEquation<dim>::assemble(double mass)
{
  if (is_limited()) // the lumped masses of the finest level
    device.axpby(mass, integrals, 0., b);
  for (std::size_t l = 0; l < of_velocity.size(); ++l)
    {
      const bool      lumped = is_limited(), finest = lumped && l + 1 == of_velocity.size();
      const PointView at = {flow.data() + first_point[l], first_point.back()};
      HeatKernel<dim> kernel{finest ? 0. : mass, theta * parameters.diffusivity, lumped, at};
      if (finest)
        A.update(device, l, LumpedHeatKernel<dim>{kernel, b.data(), b.size()});
      else
        A.update(device, l, kernel);
    }
  if (solver)
    solver->update();
  else
    solver = make_linear_solver(device, host, A, parameters.linear_solver, "temperature");
}

template <int dim>
void HeatEquation<dim>::add_loads(Vector<double> &y)
{
  device.for_each(of_cells.size(), HeatLoads<dim>{points.view(), integrands.data(), n_points(), of_cells.data()});
  device.multiply(1., E, of_cells, 1., y);
}

// Computes r for the nodal values `of`, of all nodes that do not hang.
template <int dim>
void HeatEquation<dim>::residual(const Vector<double> &of, const BackwardDifference &weights, double time, double dt)
{
  const int  n     = n_points();
  const auto first = first_point[first_point.size() - 2];
  const auto then  = time - (1. - theta) * dt;
  device.copy(of, rate);
  device.axpby(weights.a1 / dt, T_old, weights.a0 / dt, rate);
  device.axpby(weights.a2 / dt, before, 1., rate);
  device.copy(of, b);
  if (theta < 1.)
    device.axpby(1. - theta, T_old, theta, b);
  const Vector<double> nodal = ghosts.with_ghosts(b), changes = ghosts.with_ghosts(rate);
  device.for_each(n, HeatResidual<dim>{points.view(),
                                       nodal.data(),
                                       is_limited() ? nullptr : changes.data(),
                                       heating.at(then).data(),
                                       parameters.diffusivity,
                                       {flow.data() + first, first_point.back()},
                                       integrands.data(),
                                       n});
  r.set_zero();
  add_loads(r);
  if (is_limited())
    {
      device.for_each(b.size(), ScaleByDiagonal<double>{1., integrals.data(), rate.data(), b.data()});
      device.axpby(1., b, 1., r);
    }
  load.add(-1., then, r);
}

template <int dim>
void HeatEquation<dim>::advance(double time, double dt, const Vector<double> &u)
{
  const bool   second = (is_limited() || parameters.scheme == "bdf2") && last_step > 0.;
  const double ratio = second ? dt / last_step : 0., ahead = is_limited() ? 0.5 * ratio : ratio;
  device.copy(u, u_star);
  device.axpby(-ahead, u_before, 1. + ahead, u_star);
  device.copy(u, u_before);
  if (is_limited())
    split_step(time, dt);
  else
    {
      const auto weights = second ? BackwardDifference::second(ratio) : BackwardDifference();
      set_flow();
      assemble(weights.a0 / dt);
      solve(weights, time, dt, ratio);
      const Vector<double> nodal   = ghosts.with_ghosts(T);
      auto                 of_cell = of_cells.part(0, ones.size());
      device.for_each(ones.size(), HeatOfDivergence<dim>{points.view(), of_velocity.back().view(), nodal.data(),
                                                         velocities[of_velocity.size() - 1].data(), of_cell.data()});
      defect = device.dot(ones, of_cell);
    }
  for (const auto &[id, of_rows] : mean_on)
    mean_fluxes[id] = device.dot(of_rows, r);
  last_step = dt;
  has_r     = true;
  if (notes == nullptr)
    return;
  note_values(dt);
  if (!notes->said("inflow"))
    for (const auto id : open_inflow.boundaries(u, 1e-3))
      notes->once("inflow", "the flow enters through boundary " + std::to_string(id) + " at time " + to_text(time) +
                              ", where Temperature/Boundary values has no temperature: no heat is conducted there, "
                              "and the fluid brings the temperature that is there");
}

// Solves for T at `time`, and computes r. The guess is extrapolated with the ratio of the steps.
template <int dim>
void HeatEquation<dim>::solve(const BackwardDifference &weights, double time, double dt, double ratio)
{
  device.copy(T, x);
  device.axpby(-ratio, T_old, 1. + ratio, x);
  std::swap(before, T_old); // Tⁿ⁻¹
  std::swap(T_old, T);      // Tⁿ
  const auto &g = boundary.at(time);
  require(!parameters.boundaries.vary() || std::isfinite(device.dot(g, g)),
          "Temperature/Boundary values has values that are no numbers at time ", to_text(time));
  T.set_zero();
  field.prescribe(g, T);
  residual(T, weights, time, dt);
  if ((depends_on_time(parameters.heating) || !parameters.boundaries.flux.empty()) && !std::isfinite(device.dot(r, r)))
    {
      const auto &Q    = heating.values();
      const char *name = std::isfinite(device.dot(Q, Q)) ? "Flux" : "Heating";
      throw InputError(std::string("Temperature/") + name + " has values that are no numbers in the step to time " +
                       to_text(time));
    }
  device.for_each(b.size(), ScaleByDiagonal<double>{-1., free.data(), r.data(), b.data()});
  iterations = solver->solve(b, x).iterations;
  field.nodal_values(x, g, T);
  residual(T, weights, time, dt);
}

// Takes half a step of diffusion, transport by u_star, and half a step of diffusion.
template <int dim>
void HeatEquation<dim>::split_step(double time, double dt)
{
  const double half = 0.5 * dt, middle = time - half;
  transport->set_velocity(u_star);
  velocities.update_finest(u_star);
  flow.set_zero();
  theta = std::max(0.5, 1. - 1. / (half * fastest));
  assemble(1. / half);
  solve({}, middle, half, 0.);
  const int first = iterations;
  device.copy(r, first_half);
  const double before_it = device.dot(integrals, T);
  transport->advance(dt, T);
  defect = (before_it - device.dot(integrals, T)) / dt;
  device.copy(T, x);
  field.prescribe(boundary.at(middle), T);
  device.axpby(1. / half, T, -1. / half, x); // what prescribed values gain
  device.for_each(x.size(), ScaleByDiagonal<double>{1., integrals.data(), x.data(), x.data()});
  device.axpby(1., x, 1., first_half);
  solve({}, time, half, 0.);
  device.axpby(0.5, first_half, 0.5, r);
  iterations = std::max(iterations, first);
}

// Notes values out of range, and many iterations.
template <int dim>
void HeatEquation<dim>::note_values(double dt)
{
  const bool upwind = parameters.advection != "galerkin";
  if (iterations > 60 && !notes->said("iterations"))
    notes->once("iterations", "the temperature's solver took " + std::to_string(iterations) + " iterations at " +
                                cell_numbers(dt) + " with Temperature/Advection = " + parameters.advection +
                                (upwind ? "" : "; supg converges at large Courant numbers") +
                                "; a smaller Temperature/Courant number takes fewer");
  if (notes->said("range") || !parameters.boundaries.flux.empty())
    return;
  if (parameters.boundaries.vary())
    {
      const auto prescribed = extremes(boundary.values());
      range                 = {{std::min(range[0], prescribed[0]), std::max(range[1], prescribed[1])}};
    }
  const auto   bounds = extremes(T);
  const double most   = 0.01 * (range[1] - range[0]);
  const bool   above = bounds[1] > range[1] + most, below = bounds[0] < range[0] - most;
  if (!(above || below))
    return;
  const auto Q = extremes(heating.values()); // which may be the reason
  if ((above && Q[1] <= 0.) || (below && Q[0] >= 0.))
    notes->once("range", "the temperature is between " + to_text(bounds[0]) + " and " + to_text(bounds[1]) +
                           ", but initial and prescribed values between " + to_text(range[0]) + " and " +
                           to_text(range[1]) + ", at " + cell_numbers(dt) + "; " +
                           (upwind ? "finer cells, above all in boundary layers, help" :
                                     "Temperature/Advection = supg or finer cells help"));
}

// Describes the last step by its largest Courant number and the largest Péclet number of a cell.
template <int dim>
std::string HeatEquation<dim>::cell_numbers(double dt)
{
  const double rate = largest_rate(0.);
  device.for_each(n_points(), PecletNumber<dim>{{flow.data() + first_point[first_point.size() - 2], first_point.back()},
                                                parameters.diffusivity,
                                                courant_rate.data()});
  return "a Courant number of " + to_text(dt * rate) + " and a Peclet number of cells |u| h/kappa of " +
         to_text(extremes(courant_rate)[1]);
}

template <int dim>
void HeatEquation<dim>::evaluate(Vector<double> &at_points) const
{
  const Vector<double> nodal  = ghosts.with_ghosts(T);
  const auto          &of_T   = coarser ? coarser->points : points;
  Vector<double>      &result = coarser ? coarser->at_points : at_points;
  device.for_each(of_T.n_points(), AtQuadraturePoints<dim, StoreSolution<dim>>{
                                     of_T.view(), nodal.data(), 1, 0, {result.data(), nullptr, 0}});
  if (coarser)
    device.multiply(1., coarser->to_velocity_points, result, 0., at_points);
}

template <int dim>
HeatStatistics HeatEquation<dim>::statistics() const
{
  const auto bounds = extremes(T);
  return {device.dot(integrals, T) / volume, bounds[0], bounds[1], mean_fluxes, defect, iterations};
}

template <int dim>
void HeatEquation<dim>::add_to(Statistics::Row &row) const
{
  statistics().add_to(row);
}

template <int dim>
void HeatEquation<dim>::add_to(RunRecord &record) const
{
  statistics().add_to(record);
}

template <int dim>
void HeatEquation<dim>::serialize(State &state, double time)
{
  state.scalar(last_step);
  state.scalar(iterations);
  state.scalar(mean_fluxes);
  state.scalar(defect);
  state.scalar(range[0]);
  state.scalar(range[1]);
  for (auto *vector : {&T, &T_old})
    {
      const auto &g = boundary.at(vector == &T ? time : time - last_step);
      if (!coarser || !state.changes_mesh())
        {
          state.vector(*vector, field, g);
          continue;
        }
      state.unknowns(*vector, coarser->shown_by());
      if (!state.loading())
        continue;
      device.copy(*vector, x);
      field.nodal_values(x, g, *vector);
    }
  state.vector(u_before, velocity.finest());
  if (!state.goes_back())
    return;
  state.scalar(has_r);
  state.vector(r, unconstrained.finest());
}

template class HeatEquation<2>;
template class HeatEquation<3>;
} // namespace adamant
