#pragma once

#include "flow/flow_products.h"
#include "flow/hanging_nodes.h"
#include "multigrid/linear_solver.h"
#include "operators/linear_operator.h"

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
  /// `inverse_mass` is 1 / m, and 0 at nodes that keep u; `interpolation` takes pressures to the velocity's nodes. All
  /// have to outlive the object.
  DivergenceProjection(const FlowMatrices<dim> &flow, FlowProducts<dim> &products, HangingNodes<dim> &hanging,
                       const Vector<double> &inverse_mass, const Matrix<double> &interpolation,
                       const LinearSolver &pressure_solver);

  /// Computes u += w; u is stored by components. Without outflow g first gets the mean of B u. Afterwards ‖B u - g‖₂ <=
  /// tolerance ‖B u_before - g‖₂; throws SolverError where this is not reached. All ranks call it together.
  ProjectedDivergence apply(Vector<double> &g, Vector<double> &u, const SolverControl &control);

private:
  int  n_rows() const override { return product.size(); }
  int  n_cols() const override { return n_rows(); }
  void multiply(double a, const Vector<double> &lambda, double b, Vector<double> &y) const override;
  void correct_mean(const Vector<double> &divergence, Vector<double> &g) const;

  Device                   device;
  const FlowMatrices<dim> &flow;
  FlowProducts<dim>       &products;
  HangingNodes<dim>       &hanging;
  const Vector<double>    &inverse_mass;
  const Matrix<double>    &interpolation;
  const LinearSolver      &pressure_solver;
  const Vector<double>     zero;
  mutable Vector<double>   w, on_velocity_mesh, product; // written by multiply()
};
} // namespace adamant
