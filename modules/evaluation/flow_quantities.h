#pragma once

#include "evaluation/evaluation.h"

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/tensor.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace adamant
{
/// Returns the curl of a vector with this gradient; in 2D it has one component.
template <int dim>
std::vector<double> curl(const dealii::Tensor<2, dim> &gradient)
{
  std::vector<double> curl;
  for (unsigned int c = dim == 2 ? 2 : 0; c < 3; ++c)
    curl.push_back(gradient[(c + 2) % 3][(c + 1) % 3] - gradient[(c + 1) % 3][(c + 2) % 3]);
  return curl;
}

/// Returns the strain rate √(ε : ε / 2) of a velocity with this gradient.
template <int dim>
double strain_rate(const dealii::Tensor<2, dim> &gradient)
{
  return std::sqrt(0.5) * dealii::symmetrize(gradient).norm();
}

/// Returns the quantities of a flow whose first dim components are the velocity: speed, kinetic_energy |u|²/2,
/// volume_flux u·n, strain_rate, divergence and vorticity (in 3D vorticity_x, ...). Where a viscosity is given, it is
/// a quantity, too, and so is the wall shear ν t · (∇u + ∇uᵀ) n in 2D. Here t is the normal turned by a right angle
/// clockwise: on the lower wall of a channel, a flow to the right has a positive one.
template <int dim>
std::vector<Quantity<dim>> flow_quantities(const std::function<double(const PointState<dim> &)> &viscosity = nullptr)
{
  using State                           = PointState<dim>;
  std::vector<Quantity<dim>> quantities = {
    {"speed", [](const State &state) { return vector_value(state).norm(); }},
    {"kinetic_energy", [](const State &state) { return 0.5 * vector_value(state).norm_square(); }},
    {"volume_flux", [](const State &state) { return vector_value(state) * state.normal; }, true},
    {"strain_rate", [](const State &state) { return strain_rate(vector_gradient(state)); }},
    {"divergence", [](const State &state) { return trace(vector_gradient(state)); }}};
  for (std::size_t c = 0; c < (dim == 2 ? 1 : 3); ++c)
    quantities.push_back({dim == 2 ? "vorticity" : std::string("vorticity_") + "xyz"[c],
                          [c](const State &state) { return curl(vector_gradient(state))[c]; }});
  if (viscosity)
    quantities.push_back({"viscosity", viscosity});
  if constexpr (dim == 2)
    if (viscosity)
      quantities.push_back({"wall_shear",
                            [viscosity](const State &state) {
                              const dealii::Tensor<1, dim> t({state.normal[1], -state.normal[0]});
                              const auto                   strain = dealii::symmetrize(vector_gradient(state));
                              return 2. * viscosity(state) * (t * (strain * state.normal));
                            },
                            true});
  return quantities;
}
} // namespace adamant
