#pragma once

#include "parameters.h"

#include "coefficients/extremes.h"
#include "coefficients/heights.h"
#include "coefficients/values_at_points.h"
#include "fem/functions/points.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"
#include "heat/heat_statistics.h"
#include "multigrid/smoothers/functors.h"
#include "scalar/transport/limited_transport.h"
#include "stokes/stokes_flow.h"

#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <vector>

namespace buoyant_flow
{
using adamant::Array;

/// The composition c, which the flow carries along, and numbers that describe it. All ranks call all functions
/// together.
template <int dim>
class Composition
{
public:
  using Vector = adamant::Vector<double>;

  /// References have to outlive the object.
  Composition(const adamant::Device &device, const adamant::StokesFlow<dim> &flow, const ProblemParameters &problem,
              const dealii::Mapping<dim> &mapping)
    : device(device)
    , problem(problem)
    , mapping(mapping)
    , field(flow.matrices().meshes, "composition", dealii::FE_Q<dim>(1))
    , transport(device, field, flow.matrices().velocity, mapping)
    , c(device, field.finest().n_owned())
  {
    make_heights();
  }

  void set_initial_values()
  {
    const std::string key     = "Problem/Initial composition";
    const auto        initial = adamant::parse_function<dim>(key, problem.initial_composition, 1);
    const auto        values  = adamant::nodal_values(field.finest(), mapping, *initial);
    adamant::require_numbers(device.communicator(), key, values);
    c.upload(product(field.finest().owned_H(), values).data()); // interpolated at hanging nodes
    update_bounds();
    first_mass = transport.mass(c);
  }

  const adamant::LevelSpace<dim> &space() const { return field.finest(); }

  /// Adds the least and the most of c, its mass ∫ c, and the mean height ∫ c (-x · g) / |g| over it.
  void add_to(adamant::Statistics::Row &row)
  {
    const auto now = update_bounds();
    row.insert(row.end(), {{"least", now[0]}, {"most", now[1]}, {"mass", transport.mass(c)}, {"height", height()}});
  }

  /// Adds bounds of all steps, mass and height, and prints them.
  void add_to(adamant::RunRecord &record)
  {
    const double mass     = transport.mass(c);
    record["composition"] = {
      {"min", bounds[0]}, {"max", bounds[1]}, {"mass", mass}, {"first_mass", first_mass}, {"height", nullptr}};
    if (std::isfinite(height())) // there is mass
      record["composition"]["height"] = height();
    std::cout << "composition between " << bounds[0] << " and " << bounds[1] << ", mass changed by "
              << (first_mass != 0. ? (mass - first_mass) / first_mass : 0.) << ", height " << height() << std::endl;
  }

  void serialize(adamant::State &state)
  {
    state.scalar(bounds[0]);
    state.scalar(bounds[1]);
    state.scalar(first_mass);
    state.vector(c, field.finest());
  }

private:
  void make_heights()
  {
    const auto nodes = adamant::support_points(field.finest(), mapping);
    heights          = Vector(device, adamant::heights_of(nodes, adamant::upwards<dim>(problem.gravity)));
    device.for_each(heights.size(),
                    adamant::ScaleByDiagonal<double>{1., transport.weights().data(), heights.data(), heights.data()});
  }

  double height() const { return device.dot(heights, c) / transport.mass(c); }

  // Returns the least and the most of c, and widens the bounds of all steps by them.
  std::array<double, 2> update_bounds()
  {
    const auto now = adamant::extremes(c);
    bounds         = {{std::min(bounds[0], now[0]), std::max(bounds[1], now[1])}};
    return now;
  }

  adamant::Device             device;
  const ProblemParameters    &problem;
  const dealii::Mapping<dim> &mapping;
  adamant::Field<dim>         field;
  Vector                      heights;                 // of the nodes, times their weights
  std::array<double, 2>       bounds{{1e300, -1e300}}; // of c in all steps so far
  double                      first_mass = 0.;

public:
  adamant::LimitedTransport<dim> transport;
  Vector                         c; ///< nodal values
};
} // namespace buoyant_flow
