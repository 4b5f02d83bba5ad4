#pragma once

#include "algebra/compressed_rows.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "fem/forms/form.h"
#include "fem/forms/quadrature_data.h"
#include "fem/spaces/field.h"
#include "multigrid/linear_solver.h"
#include "operators/ghost_values.h"
#include "scalar/transport/transport_functors.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <optional>

namespace adamant
{
/// Solves ∂_t c + u · ∇c = 0 for a bilinear field that keeps its bounds and its mass, such as a composition that flows
/// along. It takes explicit steps of algebraic flux correction (Kuzmin, Explicit and implicit FEM-FCT algorithms with
/// flux linearization, J. Comput. Phys. 228, 2009), in strong-stability-preserving Runge-Kutta stages of order 3 (Shu
/// and Osher 1988).
///
/// M = (φ_j, φ_i) is the mass matrix and m the lumped one. k_ij = -k_ji is the flux of volume between two nodes, and
/// d_ij = |k_ij|. A stage is
///
///   c_i + dt / m_i Σ_j [ (k_ij + d_ij) (c_j - c_i) + α_ij f_ij ],   f_ij = m_ij (c'_i - c'_j) + d_ij (c_i - c_j),
///
/// where c' is about M⁻¹ K c. With α = 1 it is Galerkin's method, with α = 0 upwinding. α is Zalesak's: no value leaves
/// the range of the node's and its neighbours' values after the upwind step. For steps up to longest_step() the bounds
/// of c so hold to rounding.
///
/// A discrete velocity has a divergence against the functions of c, with which Galerkin's method would lose mass, or
/// the bounds. Therefore `k_ij = ½ [(φ_j, u · ∇φ_i) - (φ_i, u · ∇φ_j)] - l_ij (ψ_i - ψ_j)`, with the stiffness matrix L
/// and the solution ψ of L ψ = ½ (φ_i, div u): as much flows out of a node as into it. Nodes where u flows in through
/// the boundary keep their values.
///
/// Each of several ranks steps its own nodes, and gets the values of neighbours on other ranks before each pass.
/// Results then agree to rounding and to the tolerance of the solve for ψ. All ranks call all functions together.
template <int dim>
class LimitedTransport
{
public:
  /// `field` is scalar and bilinear without prescribed values; `velocity` has dim components on the same level meshes.
  /// Both have to outlive the object, and so does `mapping`. Throws RunError for other fields.
  LimitedTransport(const Device &device, const Field<dim> &field, const Field<dim> &velocity,
                   const dealii::Mapping<dim> &mapping);

  /// Sets the nodal values of u for all later steps. Throws SolverError where ψ is not found.
  void set_velocity(const Vector<double> &u);
  /// Returns the longest step that keeps the bounds; infinite where nothing moves.
  double longest_step() const { return longest; }

  /// Advances the nodal values c by the time dt, in equal steps of at most longest_step(); returns their number.
  int advance(double dt, Vector<double> &c);

  /// weights() returns ∫ φ_i of the free unknowns, with which a sum integrates any c; mass() returns ∫ c.
  const Vector<double> &weights() const { return integrals; }
  double                mass(const Vector<double> &c) const { return device.dot(integrals, c); }

  /// Computes the values of c at all points of `quadrature`: point q of cell k is entry k n_q + q.
  void evaluate(const Vector<double> &c, Vector<double> &at_points) const;
  int  n_points() const { return of_field.n_points(); }

  const dealii::QGauss<dim> quadrature{2};

private:
  TransportView view() const;
  void          assemble_divergence(const Field<dim> &velocity, const dealii::Mapping<dim> &mapping);
  void          balance_fluxes(const Vector<double> &u);
  void          stage(double dt, double old_weight, const Vector<double> &old, Vector<double> &c);

  Device              device;
  QuadratureData<dim> of_field, of_velocity;
  Form<dim>           M, K, L;
  Matrix<double>      H, D; // H: values at hanging nodes; D: ½ (φ_i, div u)

  std::shared_ptr<const CompressedRows> M_rows, L_rows; // of this rank's nodes, on the device
  GhostValues                           neighbours, of_cells, of_velocity_cells;
  std::optional<LinearSolver>           potential; // finds ψ

  Vector<double> lumped, integrals, free, fluxes, psi, old, r, result;
  Vector<double> velocity_at_points;
  Vector<double> low, rise, fall, rate[2]; // with values of neighbours on other ranks
  double         longest = 0.;
};
} // namespace adamant
