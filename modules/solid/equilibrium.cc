#include "solid/equilibrium.h"

#include "multigrid/coarse_solver.h"
#include "solid/newton/negative_eigenvalues.h"

#include <algorithm>
#include <cmath>

namespace adamant
{
template <int dim>
Equilibrium<dim>::Equilibrium(const Device &device, FiniteDeformation<dim> &deformation, const DeviceField<dim> &field,
                              const LinearSolverOptions &linear, const EquilibriumOptions &options)
  : device(device)
  , deformation(deformation)
  , field(field)
  , linear(linear)
  , options(options)
  , newton(device, *this, deformation.n_state())
  , x(device, deformation.n_state())
  , rhs(field.vector())
  , unknowns(field.vector())
  , delta(field.vector())
  , nothing(field.prescribed_vector())
  , region(options.first_shift)
{
  newton.options.least_tolerance = options.least_tolerance;
  newton.options.most_tolerance  = options.most_tolerance;
}

template <int dim>
NewtonResult Equilibrium<dim>::solve(double factor, const Vector<double> &load, const Vector<double> &g,
                                     Vector<double> &state)
{
  this->factor = factor;
  this->load   = &load;
  reference    = 0.;
  fault.clear();
  definite.reset();
  negative.reset();
  region.begin();
  solver = nullptr;
  // The change of u where it is prescribed: H does not read u there.
  const Vector<double> u = state.part(0, field.size());
  field.nodal_values(u, g, delta);
  device.axpby(-1., u, 1., delta);
  // Values at hanging nodes are rounded.
  moves = device.dot(delta, delta) > 1e-28 * device.dot(u, u);
  device.copy(state, x); // Newton's method exchanges vectors
  const auto result = newton.solve(x, {options.tolerance, options.steps, "equilibrium"});
  fault.clear();   // of a longer step
  if (in_region()) // the last tangent may be shifted
    deformation.linearize(x);
  if (solver != nullptr && !deformation.in_motion()) // a term of inertia belongs to no state
    count_negative_eigenvalues();
  device.copy(x, state);
  return result;
}

// A step d minimises ½ d . H d + ½ S e . e, where the tangent H + Bᵀ S B is that of steps and e = Π J - wanted + B d.
// Where K is large, little of e remains, and none after a few steps. What the mesh or its boundary cannot do remains.
template <int dim>
int Equilibrium<dim>::restore_volumes(const Vector<double> &wanted, double time_step, Vector<double> &state,
                                      Vector<double> &v)
{
  int            n_systems = 0;
  Vector<double> u = state.part(0, field.size()), of_v(device, state.size()), d = field.vector();
  auto           velocity = of_v.part(0, field.size());
  auto           control  = linear.control;
  control.tolerance       = 1e-6; // momentum changes as much
  solver                  = nullptr;
  symmetric_tangent       = false; // which a solve sets anew: pressures may follow the body
  for (int k = 0; k < 2; ++k)
    for (double first = 0., last = HUGE_VAL;; ++n_systems)
      {
        if (k == 0)
          {
            deformation.evaluate(state);
            if (deformation.n_inverted() > 0.)
              throw SolverError("cells would invert on the new one (" + deformation.least_stretch() + ")");
            linearize(state, Linearization::newton);
          }
        device.copy(v, velocity);
        deformation.take_volumes(k, state, of_v);
        rhs.set_zero();
        const double difference = deformation.subtract_difference(k, of_v, wanted, rhs) * (k == 0 ? 1. : time_step);
        if (first == 0.)
          first = difference;
        if (!(difference <= 2. * first)) // it may stay where the boundary decides
          throw SolverError("volumes of its cells cannot be those of the former ones");
        if (difference <= options.tolerance || difference > 0.5 * last)
          break;
        last = difference;
        solve_for_unknowns(control);
        field.nodal_values(unknowns, nothing, d);
        device.axpby(1., d, 1., k == 0 ? u : v);
      }
  return n_systems;
}

template <int dim>
void Equilibrium<dim>::residual(const Vector<double> &state, Vector<double> &r)
{
  part("residual", [&] { deformation.residual(state, factor, *load, r); });
  last_residual = &r;
}

template <int dim>
void Equilibrium<dim>::linearize(const Vector<double> &state, Linearization)
{
  fault.clear();
  part("tangent", [&] { deformation.linearize(state, region.shift()); });
  newton.options.max_halvings = in_region() ? 0 : NewtonOptions().max_halvings;
  if (in_region())
    energy = deformation.results().energy;
  try
    {
      auto *updated = &updated_solver(solver == nullptr);
      if (gmres && gmres->of != updated)
        gmres.reset();
      solver = updated;
    }
  catch (const SingularMatrix &error)
    {
      if (device.communicator().size() > 1) // the others do not know
        throw;
      throw SolverError(std::string("the tangent's solver: ") + error.what());
    }
}

// Newton's d is a change of the state, with nodal values: H x + δ.
template <int dim>
SolverResult Equilibrium<dim>::solve(const Vector<double> &r, Vector<double> &d, double tolerance)
{
  device.copy(r.part(0, rhs.size()), rhs);
  if (moves || deformation.projected())
    deformation.subtract_change(delta, rhs);
  auto with_tolerance      = linear.control;
  with_tolerance.tolerance = tolerance;
  if (deformation.projected() && !moves) // the residuals of θ and p make the right-hand side larger, by K
    with_tolerance.tolerance *= std::min(1., std::sqrt(device.dot(r, r) / device.dot(rhs, rhs)));
  SolverResult result;
  try
    {
      result = solve_for_unknowns(with_tolerance);
    }
  catch (const SolverError &error)
    {
      count_negative_eigenvalues();
      if (negative.value_or(0) == 0)
        throw SolverError(error.what() + rounding());
      throw SolverError(error.what() + std::string("; the tangent has ") + std::to_string(*negative) +
                        " negative eigenvalues on the coarsest level");
    }
  auto d_u = d.part(0, field.size());
  field.nodal_values(unknowns, nothing, d_u);
  if (moves)
    device.axpby(1., delta, 1., d_u);
  deformation.follow(d);
  if (in_region())
    predict(d_u);
  return result;
}

template <int dim>
void Equilibrium<dim>::count_negative_eigenvalues()
{
  if (symmetric_tangent)
    negative = n_negative_eigenvalues(device.communicator(), deformation.tangent().level(0));
}

template <int dim>
std::optional<bool> Equilibrium<dim>::stable() const
{
  if (options.first_shift > 0.) // conjugate gradients have seen shifted tangents
    return negative ? std::optional<bool>(*negative == 0) : std::nullopt;
  return negative.value_or(0) > 0 ? false : options.rounding.empty() || definite == true ? definite : std::nullopt;
}

template <int dim>
SolverResult Equilibrium<dim>::solve_for_unknowns(const SolverControl &control)
{
  unknowns.set_zero();
  if (linear.type != SolverType::cg)
    return solver->solve(rhs, unknowns, control);
  if (symmetric_tangent)
    try
      {
        const auto result = solver->solve(rhs, unknowns, control);
        definite          = true;
        return result;
      }
    catch (const BreakdownError &) // other errors tell nothing of the matrix
      {
        definite = false;
        unknowns.set_zero();
        if (in_region()) // whose next shift is larger
          return {};
      }
  if (!gmres)
    gmres = std::make_unique<WithGMRES>(device, *solver, linear.restart);
  return gmres->method.solve(rhs, unknowns, control);
}

// By how much the step's quadratic model of the energy falls, without the shift.
template <int dim>
void Equilibrium<dim>::predict(const Vector<double> &d_u)
{
  Vector<double> change = field.vector(); // -K d
  deformation.subtract_change(d_u, change);
  work      = factor * device.dot(*load, unknowns);
  slope     = device.dot(rhs, unknowns);
  predicted = slope + 0.5 * device.dot(change, unknowns);
}

// By how much the step lets the energy fall. A small difference of energies is lost to rounding, but not the slopes at
// both ends.
template <int dim>
double Equilibrium<dim>::decrease()
{
  const double after = deformation.results().energy;
  return predicted > 1e-8 * (std::abs(energy) + std::abs(after)) ?
           energy - after + work :
           0.5 * (slope + device.dot(last_residual->part(0, rhs.size()), unknowns));
}

template <int dim>
bool Equilibrium<dim>::accepts(const NewtonTrial &step)
{
  fault.clear(); // kept, as Newton's method computes other residuals before it fails
  if (deformation.n_inverted() > 0.)
    fault = "cells would invert (" + deformation.least_stretch() + "): ";
  else if (deformation.n_no_numbers() > 0.)
    fault = "the energy is no number (" + deformation.no_number() + "): ";
  else if (!std::isfinite(step.residual))
    fault = "the residual is no number: ";
  if (in_region() && !fault.empty())
    region.refuse();
  else if (in_region() && !region.accepts(decrease(), predicted))
    return false;
  const bool bounded = deformation.projected() && !moves;
  if (!fault.empty() || (bounded && step.residual > options.growth * std::max({step.last, step.first, reference})))
    return false;
  if (moves)
    reference = step.residual;
  // What is left of the motion after a step of this length.
  device.scale(1. - step.length, delta);
  moves = moves && step.length < 1.;
  return true;
}

template <int dim>
bool Equilibrium<dim>::solved(double norm, double wanted)
{
  return !moves && norm <= std::max(wanted, options.tolerance * deformation.reactions()) &&
         deformation.residual_of_dilatation() <= options.tolerance;
}

template class Equilibrium<2>;
template class Equilibrium<3>;
} // namespace adamant
