#pragma once

#include "parameters.h"

#include "coefficients/values_at_points.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "frame/unknown.h"
#include "heat/heat_equation.h"
#include "heat/heat_notes.h"
#include "scalar/transport/limited_transport.h"
#include "stokes/flow_power.h"
#include "stokes/nonlinear_flow.h"

#include <cmath>
#include <string>

namespace buoyant_flow
{
/// The density ρ(c, T) at the quadrature points, and its load ∫ ρ g · φ_i. All ranks call all functions together.
template <int dim>
class Buoyancy
{
public:
  using Vector = adamant::Vector<double>;

  /// References have to outlive the object. The transport has the points.
  Buoyancy(const adamant::Device &device, const Parameters &parameters, const adamant::NumberFunction &density_of,
           const adamant::NonlinearFlow<dim> &flow, const dealii::Mapping<dim> &mapping,
           const adamant::LimitedTransport<dim> &transport)
    : density(device, transport.n_points())
    , load(flow.velocity().vector())
    , device(device)
    , gravity(parameters.problem.gravity)
    , density_of(density_of)
    , transport(transport)
    , inputs(device, static_cast<int>(parameters.names_of_density().size()) * transport.n_points())
  {
    adamant::Form<dim> force("force", flow.matrices().velocity, adamant::quadrature_points<dim>(), mapping,
                             transport.quadrature, dealii::update_values | dealii::update_JxW_values,
                             adamant::integral<dim>([this](const auto &cell, auto i, auto q) {
                               return gravity[cell.component(i)] * cell.value(i, q);
                             }));
    G = adamant::assemble_on(device, force);
  }

  /// Computes c and T at the points, on which the viscosity may depend.
  void set_inputs(const Vector &c, const adamant::HeatEquation<dim> *heat, adamant::NonlinearFlow<dim> &flow)
  {
    const int n   = density.size();
    auto      c_q = inputs.part(0, n);
    transport.evaluate(c, c_q);
    flow.set_input("c", c_q);
    if (heat == nullptr)
      return;
    auto T_q = inputs.part(n, n);
    heat->evaluate(T_q);
    flow.set_input("T", T_q);
  }

  /// Computes density and load from these inputs. Throws InputError for a load that is no number.
  void update()
  {
    density_of(inputs, density);
    device.multiply(1., G, density, 0., load);
    adamant::require(std::isfinite(device.dot(load, load)),
                     "Problem/Density times Problem/Gravity has values that are no numbers, or are too large");
  }

  Vector density, load;

private:
  adamant::Device                       device;
  const std::vector<double>            &gravity;
  const adamant::NumberFunction        &density_of;
  const adamant::LimitedTransport<dim> &transport;
  Vector                                inputs; // c at the points, then T
  adamant::Matrix<double>               G;      // densities to the load
};
} // namespace buoyant_flow
