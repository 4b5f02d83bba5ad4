#pragma once

#include "flow/boundary_values.h"
#include "flow/flow_functionals.h"
#include "multigrid/linear_solver.h"
#include "operators/linear_operator.h"
#include "solvers/cg.h"

namespace adamant
{
/// The largest |div u| of a projection: the wanted one, the one before it and the one after it.
struct ProjectedDivergence
{
  double wanted, interpolated, projected;
};

/// Gives a velocity another discrete divergence g. It takes the smallest change w, in ∫ |w|², with B (u + w) = g and w
/// = 0 at prescribed nodes, where the lumped mass m counts as infinite:
///
///   w = M⁻¹ Bᵀ λ,   B M⁻¹ Bᵀ λ = g - B u,
///
/// B is the divergence on the pressure's functions, hanging nodes included on both meshes. Conjugate gradients find λ,
/// with the multigrid of the pressure, as its Laplacian resembles the operator. The term -Bᵀ λ is the gradient of the
/// momentum step at all nodes that move, so that its kernels serve both.
template <int dim>
class DivergenceProjection : private LinearOperator
{
public:
  /// `constrain` makes a velocity one of the space, at hanging nodes and where it slips. `inverse_mass` is 1 / m, and 0
  /// at nodes that keep u; `interpolation` takes pressures to the velocity's nodes. All have to outlive the object.
  DivergenceProjection(const FlowMatrices<dim> &flow, FlowProducts<dim> &products,
                       const std::function<void(Vector<double> &)> &constrain, const Vector<double> &inverse_mass,
                       const Matrix<double> &interpolation, const LinearSolver &pressure_solver)
    : device(inverse_mass.device())
    , flow(flow)
    , products(products)
    , constrain(constrain)
    , inverse_mass(inverse_mass)
    , interpolation(interpolation)
    , pressure_solver(pressure_solver)
    , zero(device, dim * inverse_mass.size())
    , w(device, zero.size())
    , on_velocity_mesh(device, inverse_mass.size())
    , product(device, flow.pressure().n_owned())
  {}

  /// Computes u += w; u is stored by components. Without outflow g first gets the mean of B u. Afterwards ‖B u - g‖₂ <=
  /// tolerance ‖B u_before - g‖₂; throws SolverError where this is not reached. All ranks call it together.
  ProjectedDivergence apply(Vector<double> &g, Vector<double> &u, const SolverControl &control)
  {
    ProjectedDivergence largest;
    Vector<double>      missing(device, product.size()), lambda(device, product.size());
    products.divergence(u, missing);
    if (flow.singular)
      correct_mean(missing, g);
    largest.interpolated = largest_divergence(flow, to_host(missing));
    largest.wanted       = largest_divergence(flow, to_host(g));
    device.axpby(1., g, -1., missing);
    CG(device, *this, pressure_solver.preconditioner()).solve(missing, lambda, control);
    multiply(1., lambda, 0., missing); // leaves w
    device.axpby(1., w, 1., u);
    products.divergence(u, missing);
    largest.projected = largest_divergence(flow, to_host(missing));
    return largest;
  }

private:
  int n_rows() const override { return product.size(); }
  int n_cols() const override { return n_rows(); }
  // y = a B w + b y: a momentum step of length 1 from rest with the pressure λ gives w = -M⁻¹ ∇λ = M⁻¹ Bᵀ λ.
  void multiply(double a, const Vector<double> &lambda, double b, Vector<double> &y) const override
  {
    device.multiply(1., interpolation, lambda, 0., on_velocity_mesh);
    const VelocityUpdate<dim> from_rest{inverse_mass.size(), 1., zero.data(), inverse_mass.data(), nullptr, w.data()};
    products.momentum(from_rest, zero, on_velocity_mesh, [](const char *, const auto &work) { work(); });
    constrain(w);
    products.divergence(w, product);
    device.axpby(a, product, b, y);
  }

  // g += c m, c a constant: as much has to flow out as the boundary values let.
  void correct_mean(const Vector<double> &divergence, Vector<double> &g) const
  {
    const Vector<double> mass(device, flow.pressure_mass), ones(device, Array<double>(mass.size(), 1.));
    device.axpby((device.dot(ones, divergence) - device.dot(ones, g)) / device.dot(ones, mass), mass, 1., g);
  }

  Device                                      device;
  const FlowMatrices<dim>                    &flow;
  FlowProducts<dim>                          &products;
  const std::function<void(Vector<double> &)> constrain;
  const Vector<double>                       &inverse_mass;
  const Matrix<double>                       &interpolation;
  const LinearSolver                         &pressure_solver;
  const Vector<double>                        zero;
  mutable Vector<double>                      w, on_velocity_mesh, product; // written by multiply()
};
} // namespace adamant
