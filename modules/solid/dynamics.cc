#include "solid/dynamics.h"

#include "algebra/functors.h"

namespace adamant
{
template <int dim>
Dynamics<dim>::Dynamics(const Device &device, FiniteDeformation<dim> &deformation, const DeviceField<dim> &field,
                        const TimeScheme &scheme)
  : scheme(scheme)
  , device(device)
  , deformation(deformation)
  , field(field)
  , state_(device, deformation.n_state())
  , displacement(state_.part(0, field.size()))
  , velocity(field.vector())
  , acceleration(field.vector())
  , center(field.vector())
  , scratch(field.vector())
  , r(device, deformation.n_state())
{}

template <int dim>
void Dynamics<dim>::set_acceleration(double factor, const Vector<double> &load, const Vector<double> &prescribed,
                                     const std::function<LinearSolver &()> &solver)
{
  deformation.project(state_);
  field.nodal_values(field.vector(), prescribed, acceleration);
  evaluate(); // forces of the prescribed accelerations are a part
  deformation.residual(state_, factor, load, r);
  deformation.linearize_inertia();
  scratch.set_zero();
  solver().solve(r.part(0, field.size()), scratch, {1e-13, 1000, "initial acceleration"});
  field.nodal_values(scratch, prescribed, acceleration);
}

template <int dim>
void Dynamics<dim>::begin(double length, Vector<double> &w)
{
  this->length   = length;
  const double c = (1. - scheme.alpha_m) / ((1. - scheme.alpha_f) * scheme.beta * length * length);
  device.copy(displacement, center);
  device.axpby((1. - scheme.alpha_f) * length, velocity, 1., center);
  device.copy(state_, w);
  auto u = w.part(0, field.size());
  device.copy(center, u);
  device.axpby((1. - scheme.alpha_f) * length * length * (0.5 - scheme.beta) - scheme.alpha_m / c, acceleration, 1.,
               center);
  deformation.set_motion(c, center, scheme.conserving ? &displacement : nullptr);
}

template <int dim>
void Dynamics<dim>::end(const Vector<double> &w)
{
  // a = (u - (u0 + Δt v0 + Δt² (1/2 - β) a0)) / (β Δt²), where `scratch` becomes what is in brackets
  device.copy(displacement, scratch);
  device.axpby(length, velocity, 1., scratch);
  device.axpby(length * length * (0.5 - scheme.beta), acceleration, 1., scratch);
  device.axpby(1. / (1. - scheme.alpha_f), w, -scheme.alpha_f / (1. - scheme.alpha_f), state_);
  device.axpby(1., displacement, -1., scratch);
  device.axpby(length * (1. - scheme.gamma), acceleration, 1., velocity);
  device.axpby(1. / (scheme.beta * length * length), scratch, 0., acceleration);
  device.axpby(length * scheme.gamma, acceleration, 1., velocity);
}

template <int dim>
void Dynamics<dim>::evaluate()
{
  device.copy(displacement, center);
  device.axpby(-1., acceleration, 1., center);
  deformation.set_motion(1., center);
  deformation.residual(state_, 0., field.vector(), r);
}

template <int dim>
void Dynamics<dim>::serialize(State &archive, const std::function<std::array<Vector<double>, 3>()> &prescribed)
{
  deformation.serialize(archive, state_);
  archive.vector(velocity, field.space());
  archive.vector(acceleration, field.space());
  if (!archive.loading() || !archive.changes_mesh())
    return;
  const auto values = prescribed();
  field.prescribe(values[0], displacement);
  field.prescribe(values[1], velocity);
  field.prescribe(values[2], acceleration);
}

template class Dynamics<2>;
template class Dynamics<3>;
} // namespace adamant
