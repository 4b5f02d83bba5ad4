#pragma once

#include "equations.h"

#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/functors.h"
#include "operators/level_data.h"
#include "solvers/preconditioner.h"

#include <memory>

namespace stationary_navier_stokes
{
/// The preconditioner of the paper, for comparison. For J = [A G; D C] it computes the velocities z_u = V r_u by a
/// V-cycle V for A alone. The pressures are z_p = ν M_L⁻¹ (r_p - D z_u), with the pressure's lumped mass matrix M_L in
/// place of the Schur complement.
template <int dim>
class BlockTriangular : public adamant::Preconditioner
{
public:
  using Vector = adamant::Vector<double>;

  /// `equations` have values, with `velocities`, and outlive the object; `free_pressures` is 1 at free pressures, else
  /// 0.
  BlockTriangular(const adamant::Device &device, const adamant::Field<dim> &field, const FlowEquations<dim> &equations,
                  const adamant::LinearSolverOptions &options, const Vector &free_pressures)
    : device(device)
    , equations(equations)
    , top(field.n_levels() - 1)
    , J(device, *equations.J.matrix(top), *equations.J.on_device(top), dim + 1)
    , cycle(
        adamant::make_multigrid(device, levels_of(field, *equations.velocities), options.precision, options.multigrid))
    , t(device, J.n_rows())
  {
    const adamant::Matrix<double> masses(device, *equations.velocities->matrix(top),
                                         *equations.velocities->on_device(top), dim + 1);
    device.multiply(1., masses, free_pressures, 0., t);
    auto lumped = adamant::to_host(t), ones = adamant::to_host(free_pressures);
    for (std::size_t i = 0; i < lumped.size(); ++i)
      {
        lumped[i] = ones[i] == 0. ? 0. : 1. / lumped[i];
        ones[i]   = 1. - ones[i];
      }
    inverse_mass   = Vector(device, lumped);
    not_a_pressure = Vector(device, ones);
  }

  void vmult(const Vector &r, Vector &z) const override
  {
    const int n = t.size();
    device.for_each(n, adamant::ScaleByDiagonal<double>{1., not_a_pressure.data(), r.data(), t.data()});
    cycle->vmult(t, z);
    device.residual(J, z, r, t);
    device.for_each(
      n, adamant::ScaleByDiagonal<double>{equations.constants.viscosity, inverse_mass.data(), t.data(), t.data()});
    device.axpby(1., t, 1., z);
  }

  void update() override
  {
    J.update(*equations.J.on_device(top));
    cycle->update();
    device.outdate_graphs(); // graphs have recorded the viscosity
  }

private:
  adamant::Device                          device;
  const FlowEquations<dim>                &equations;
  std::size_t                              top;
  adamant::Matrix<double>                  J;
  std::unique_ptr<adamant::Preconditioner> cycle; // for A
  Vector                                   inverse_mass, not_a_pressure;
  mutable Vector                           t;
};
} // namespace stationary_navier_stokes
