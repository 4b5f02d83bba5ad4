#include "solid/motion/dynamics.h"

#include "algebra/functors.h"

namespace adamant
{
template <int dim>
Dynamics<dim>::Dynamics(const Device &device, FiniteDeformation<dim> &deformation, const DeviceField<dim> &field,
                        const PrescribedMotion<dim> &boundary, const Vector<double> &work, const TimeScheme &scheme,
                        double time_step)
  : device(device)
  , deformation(deformation)
  , field(field)
  , boundary(boundary)
  , work(work)
  , scheme(scheme)
  , usual(time_step)
  , difference(0.01 * time_step)
  , state_(device, deformation.n_state())
  , displacement(state_.part(0, field.size()))
  , velocity(field.vector())
  , acceleration(field.vector())
  , center(field.vector())
  , scratch(field.vector())
  , next(device, deformation.n_state())
  , r(device, deformation.n_state())
{}

template <int dim>
std::string Dynamics<dim>::set_initial_values(const InitialMotion &initial, double factor, const Vector<double> &load,
                                              const std::function<LinearSolver &()> &solver)
{
  const auto  prescribed = boundary.with_rates(0., difference);
  std::string notes;
  const auto  set = [&](const std::string &key, const std::string &text, const Vector<double> &on_boundary,
                       Vector<double> &values) {
    const auto everywhere = boundary.initial(key, text);
    field.nodal_values(everywhere, on_boundary, values);
    notes += boundary.note_on(key, everywhere, on_boundary);
  };
  set("Problem/Initial displacement", initial.displacement, prescribed[0], displacement);
  set("Problem/Initial velocity", initial.velocity, prescribed[1], velocity);
  deformation.project(state_);
  field.nodal_values(field.vector(), prescribed[2], acceleration);
  evaluate(); // forces of the prescribed accelerations are a part
  if (deformation.n_inverted() > 0.)
    throw InputError("Problem/Initial displacement: cells are turned inside out (" + deformation.least_stretch() + ")");
  deformation.residual(state_, factor, load, r);
  deformation.linearize_inertia();
  scratch.set_zero();
  solver().solve(r.part(0, field.size()), scratch, {1e-13, 1000, "initial acceleration"});
  field.nodal_values(scratch, prescribed[2], acceleration);
  return notes;
}

template <int dim>
double Dynamics<dim>::begin(double start, double end, Vector<double> &g, Vector<double> &w)
{
  length         = end - start;
  const double c = inertia(length);
  device.copy(displacement, center);
  device.axpby((1. - scheme.alpha_f) * length, velocity, 1., center);
  device.copy(state_, w);
  auto u = w.part(0, field.size());
  device.copy(center, u);
  device.axpby((1. - scheme.alpha_f) * length * length * (0.5 - scheme.beta) - scheme.alpha_m / c, acceleration, 1.,
               center);
  deformation.set_motion(c, center, former());
  device.axpby(scheme.alpha_f, boundary.at(start), 1. - scheme.alpha_f, g);
  return end - scheme.alpha_f * length;
}

template <int dim>
void Dynamics<dim>::end(const Vector<double> &w, double factor)
{
  device.copy(state_, next);
  device.axpby(1. / (1. - scheme.alpha_f), w, -scheme.alpha_f / (1. - scheme.alpha_f), next);
  // a = (u - (u0 + Δt v0 + Δt² (1/2 - β) a0)) / (β Δt²) in `scratch`
  device.copy(displacement, scratch);
  device.axpby(length, velocity, 1., scratch);
  device.axpby(length * length * (0.5 - scheme.beta), acceleration, 1., scratch);
  device.axpby(1., next.part(0, field.size()), -1., scratch);
  device.scale(1. / (scheme.beta * length * length), scratch);
  evaluate(next, scratch);
  if (scheme.alpha_f > 0. && !scheme.conserving && deformation.n_inverted() > 0.) // the balance has seen w alone
    throw SolverError("cells would invert at the end of the time step (" + deformation.least_stretch() + ")");
  const double before = device.dot(work, displacement);
  device.copy(next, state_);
  done += factor * (device.dot(work, displacement) - before);
  device.axpby(length * (1. - scheme.gamma), acceleration, 1., velocity);
  device.copy(scratch, acceleration);
  device.axpby(length * scheme.gamma, acceleration, 1., velocity);
}

template <int dim>
void Dynamics<dim>::evaluate(const Vector<double> &state, const Vector<double> &a)
{
  device.copy(state.part(0, field.size()), center);
  device.axpby(-1., a, 1., center);
  deformation.set_motion(1., center);
  deformation.residual(state, 0., field.vector(), r);
}

template <int dim>
void Dynamics<dim>::serialize(State &archive, double t)
{
  archive.scalar(done);
  if (archive.changes_mesh() && deformation.projected())
    carry(archive);
  else
    {
      deformation.serialize(archive, {&state_});
      archive.vector(velocity, field.space());
    }
  archive.vector(acceleration, field.space());
  if (!archive.loading() || !archive.changes_mesh())
    return;
  const auto values = boundary.with_rates(t, difference);
  device.copy(displacement, scratch); // which prescribe() exchanges
  field.prescribe(values[0], scratch);
  device.copy(scratch, displacement);
  field.prescribe(values[1], velocity);
  field.prescribe(values[2], acceleration);
}

// v with volumes and their rates, as a state.
template <int dim>
void Dynamics<dim>::carry(State &archive)
{
  auto v = next.part(0, field.size());
  if (!archive.loading())
    {
      device.copy(velocity, v);
      evaluate();
      deformation.linearize(state_);
      for (int k = 0; k < 2; ++k)
        deformation.take_volumes(k, state_, next);
    }
  deformation.serialize(archive, {&state_, &next});
  device.copy(v, velocity);
}

template <int dim>
int Dynamics<dim>::restore_volumes(Equilibrium<dim> &equilibrium)
{
  if (!deformation.projected())
    return 0;
  prepare_tangent();
  const int n_systems = equilibrium.restore_volumes(next, usual, state_, velocity);
  evaluate();
  return n_systems;
}

template class Dynamics<2>;
template class Dynamics<3>;
} // namespace adamant
