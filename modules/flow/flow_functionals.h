#pragma once

#include "base/communicator.h"
#include "flow/flow_matrices.h"

#include <array>
#include <vector>

namespace adamant
{
/// Numbers that are computed from a flow on the host, with its matrices. Velocities are stored by components; pressures
/// `p` are nodal values on the velocity mesh. Each of several ranks passes the values of its own nodes and gets the
/// result of all; they call all functions together.

/// The flux through the listed boundary nodes for velocities `values`, component c of node number i in values[c
/// n_listed + i]. `net` is ∫ u . n by nodal interpolation, `scale` the integral of |u| |n|, to compare with.
struct BoundaryFlux
{
  double net, scale;
};
template <int dim>
BoundaryFlux boundary_flux(const FlowMatrices<dim> &flow, const std::vector<int> &nodes, const Array<double> &values);

/// Returns (a, ∇ψ_k) with the acceleration a = f - div(u ⊗ u) + ν Δu; the last term is left out at nodes where
/// `inverse_mass` is 0. This is equation (16) of Liebchen et al. for the initial pressure.
template <int dim>
Array<double> tested_acceleration(const FlowMatrices<dim> &flow, double viscosity, const Array<double> &u,
                                  const Array<double> &f, const Array<double> &inverse_mass);

/// Returns the lumped L² norm of the difference of nodal values of any number of components. `up_to_constant` is for
/// pressures.
template <int dim>
double lumped_l2_error(const FlowMatrices<dim> &flow, const Array<double> &values, const Array<double> &exact,
                       bool up_to_constant);

/// Returns ½ ∫ |u|² with lumped masses.
template <int dim>
double kinetic_energy(const FlowMatrices<dim> &flow, const Array<double> &u);

/// Returns the mean of a pressure, given on its own mesh.
template <int dim>
double mean_pressure(const FlowMatrices<dim> &flow, const Array<double> &pressure);

/// Returns the largest |g_k / m_k| of a divergence g.
template <int dim>
double largest_divergence(const FlowMatrices<dim> &flow, const Array<double> &g);

/// The force on a boundary: the residual of the momentum equation at its nodes. The test function is v = Σ φ_i over
/// these nodes, where φ_i includes the hanging nodes that depend on a free node.
///   F_c = (a_c, v) - (ν (∇u_c, ∇v) + Σ_d (∂_d(u_d u_c), v) - (p, ∂_c v)),   a = f - ∂_t u.
/// It converges faster than integrals of stresses along the boundary (John & Matthies 2001).
template <int dim>
class BoundaryForce
{
public:
  BoundaryForce(const FlowMatrices<dim> &flow, dealii::types::boundary_id id);

  /// `a` is read at the boundary's nodes; an empty `a` is zero.
  std::vector<double> operator()(const Array<double> &u, const Array<double> &p, const Array<double> &a,
                                 double viscosity) const;

private:
  // Sums of matrix rows and columns over the boundary's nodes, where they are not zero.
  struct Weights
  {
    int                     node;
    double                  stiffness, mass;
    std::array<double, dim> row, column; // of A_d
  };

  Communicator         ranks;
  std::size_t          n; // the rank's own nodes
  std::vector<Weights> weights;
};
} // namespace adamant
