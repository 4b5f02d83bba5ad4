#pragma once

#include "tractions.h"

#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"
#include "frame/restart/state.h"
#include "multigrid/smoothers/functors.h"
#include "solvers/extrapolation.h"
#include "tensor/poisson_solver.h"
#include "tensor/tensor_product.h"

#include <optional>
#include <vector>

namespace navier_stokes
{
using adamant::PressureRhs, adamant::PressureUpdate;

/// Makes the solver of the pressure's equation.
template <int dim>
void set_solver(std::optional<adamant::PoissonSolver> &solver, const adamant::Device &device,
                const adamant::FlowMatrices<dim> &flow, const Mapping<dim> &mapping, const Parameters &parameters)
{
  const auto &implementation = parameters.implementation;
  auto        options        = parameters.linear_solver.options("pressure");
  options.multigrid.singular = flow.singular;
  solver.emplace(device, flow.pressure_levels, options, parameters.time.extrapolation_order,
                 implementation.pressure_solver == "fast_diagonalization" ?
                   adamant::tensor_product_eigenpairs(flow.pressure(), mapping) :
                   std::vector<adamant::Eigenpairs>(),
                 implementation.arithmetic());
}

/// This rank's vectors and matrices at the nodes of the pressure, and the pressure's part of a step.
template <int dim>
struct Pressure
{
  using Vector = adamant::Vector<double>;

  Pressure() = default;
  /// Makes vectors of zeros. `changes` says whether the mesh may change.
  Pressure(const adamant::Device &device, const adamant::FlowMatrices<dim> &flow, bool changes)
    : device(device)
    , n(flow.pressure().n_owned())
    , volume(flow.pressure_volume)
    , singular(flow.singular)
    , viscosity(flow.viscous.least)
    , mean(device, 2)
    , on_velocity_mesh(device, flow.velocity().n_owned())
    , mass(device, flow.pressure_mass)
    , ones(device, adamant::Array<double>(n, 1.))
    , interpolation(device, *flow.interpolation)
  {
    for (Vector *vector : {&q, &p, &p_plus_q, &b, &g})
      *vector = Vector(device, n);
    adamant::Array<double> inverse(n, 0.);
    for (int k = 0; k < n; ++k)
      if (flow.pressure_mass[k] > 0.)
        inverse[k] = 1. / flow.pressure_mass[k];
    inverse_mass = Vector(device, inverse);
    if (flow.viscous.varies())
      viscosity_of_node = Vector(device, flow.viscous.at_pressures);
    if (changes)
      injection = adamant::Matrix<double>(device, flow.injection());
  }

  /// Makes the right-hand side b from the divergence g, for a step of length dt. Where no open boundary fixes the
  /// pressure, the mean has to vanish.
  void compute_rhs(double dt, const BoundaryTractions<dim> &tractions)
  {
    if (singular)
      device.dot(ones, g, mean, 0);
    device.for_each(n, PressureRhs{dt, volume, g.data(), mass.data(), singular ? mean.data() : nullptr, b.data()});
    tractions.subtract_change(b);
  }

  /// Takes the right-hand side of the initial pressure from host memory. Where no open boundary fixes the pressure, its
  /// mean is rounding alone, which has no solution: it is subtracted.
  void set_rhs(const adamant::Array<double> &values, const BoundaryTractions<dim> &tractions)
  {
    b.upload(values.data());
    tractions.subtract_pressure(b);
    if (singular)
      device.axpby(-device.dot(ones, b) / volume, mass, 1., b);
  }

  /// Takes p <- p + q - nu g / m_p and p + q from the increment q.
  void update()
  {
    if (singular)
      device.dot(mass, q, mean, 1);
    device.for_each(n, PressureUpdate{viscosity, viscosity_of_node.data(), volume, g.data(), inverse_mass.data(),
                                      singular ? mean.data() + 1 : nullptr, q.data(), p.data(), p_plus_q.data()});
  }

  void interpolate(const BoundaryTractions<dim> &tractions)
  {
    device.multiply(1., interpolation, p_plus_q, 0., on_velocity_mesh);
    tractions.add_to(on_velocity_mesh, 1., true);
  }

  /// Takes q for the initial pressure, where g = 0 and no increment has been made yet.
  void begin(const BoundaryTractions<dim> &tractions)
  {
    update();
    device.copy(p, p_plus_q);
    interpolate(tractions);
    q.set_zero();
  }

  /// Saves or loads pressure and increments. Over a change of the mesh it also carries the divergence g, by the nodal
  /// values of g / m. It then subtracts the mean of a pressure that has a free constant.
  void serialize(adamant::State &state, const adamant::FlowMatrices<dim> &flow, adamant::Extrapolation &guess,
                 const BoundaryTractions<dim> &tractions)
  {
    const adamant::CoarserSpace<dim> space{flow.pressure(), flow.velocity(), interpolation, injection};
    if (state.changes_mesh() && tractions.any())
      for (const bool with_change : {false, true})
        serialize_nodal(state, flow, tractions, with_change);
    else
      {
        state.unknowns(p, space);
        state.unknowns(p_plus_q, space);
      }
    state.history(guess, device, space);
    if (state.changes_mesh())
      {
        if (!state.loading())
          scale(inverse_mass, g, b);
        state.unknowns(b, space);
        if (state.loading())
          scale(mass, b, g);
        for (Vector *x : {&p, &p_plus_q})
          if (state.loading() && singular)
            device.axpby(-device.dot(mass, *x) / volume, ones, 1., *x);
      }
    if (state.loading())
      interpolate(tractions);
  }

  /// Carries p, or p + q, to another mesh together with the prescribed pressures.
  void serialize_nodal(adamant::State &state, const adamant::FlowMatrices<dim> &flow,
                       const BoundaryTractions<dim> &tractions, bool with_change)
  {
    Vector &x = with_change ? p_plus_q : p, nodal(device, flow.velocity().n_owned());
    device.multiply(1., interpolation, x, 0., nodal);
    if (!state.loading())
      tractions.add_to(nodal, 1., with_change);
    state.vector(nodal, flow.velocity());
    if (!state.loading())
      return;
    tractions.add_to(nodal, -1., with_change);
    device.multiply(1., injection, nodal, 0., x);
  }

  /// Computes y = D x with the diagonal D.
  void scale(const Vector &D, const Vector &x, Vector &y) const
  {
    device.for_each(n, adamant::ScaleByDiagonal<double>{1., D.data(), x.data(), y.data()});
  }

  adamant::Device device;
  int             n         = 0;
  double          volume    = 0.;
  bool            singular  = false; ///< see FlowMatrices
  double          viscosity = 0.;

  adamant::Scalars        mean; ///< the integrals of g and q
  Vector                  q, p, p_plus_q, b, g;
  Vector                  on_velocity_mesh; ///< p + q at the velocity's nodes
  Vector                  mass, inverse_mass, ones;
  Vector                  viscosity_of_node;        ///< empty: the viscosity is constant
  adamant::Matrix<double> interpolation, injection; ///< see FlowMatrices
};
} // namespace navier_stokes
