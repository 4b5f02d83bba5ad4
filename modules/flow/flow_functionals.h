#pragma once

#include "base/array.h"
#include "base/communicator.h"
#include "flow/boundary_values.h"
#include "flow/flow_matrices.h"

#include <deal.II/base/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace adamant
{
/// Numbers that are computed from a flow on the host, with its matrices. Velocities are stored by components; pressures
/// `p` are nodal values on the velocity mesh. Each of several ranks passes the values of its own nodes and gets the
/// result of all; they call all functions together.

/// Returns the flux through the listed boundary nodes for velocities `values`, component c of node number i in values[c
/// n_listed + i], by nodal interpolation.
template <int dim>
BoundaryFlux boundary_flux(const FlowMatrices<dim> &flow, const std::vector<int> &nodes, const Array<double> &values)
{
  // The columns of A_d sum up to ∫ φ_i n_d over the boundary. What hanging nodes take from a node counts as its own.
  std::array<Array<double>, dim> normals; // of all nodes, times the node's share of the boundary
  for (unsigned int d = 0; d < dim; ++d)
    normals[d] = transposed_product(
      flow.velocity().owned_H(), transposed_product(*flow.gradient[d], Array<double>(flow.velocity().n_owned(), 1.)));
  double sums[2] = {0., 0.};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    {
      dealii::Tensor<1, dim> velocity, normal;
      for (unsigned int d = 0; d < dim; ++d)
        {
          velocity[d] = values[d * nodes.size() + i];
          normal[d]   = normals[d][nodes[i]];
        }
      sums[0] += velocity * normal;
      sums[1] += velocity.norm() * normal.norm();
    }
  flow.velocity().communicator().sum(sums, 2);
  return {sums[0], sums[1]};
}

/// Returns (a, ∇ψ_k) with the acceleration a = f - div(u ⊗ u) + ν Δu; the last term is left out at nodes where
/// `inverse_mass` is 0. This is equation (16) of Liebchen et al. for the initial pressure.
template <int dim>
Array<double> tested_acceleration(const FlowMatrices<dim> &flow, double viscosity, const Array<double> &u,
                                  const Array<double> &f, const Array<double> &inverse_mass)
{
  const std::size_t n         = flow.velocity().n_owned();
  const auto        component = [&](int c) { return Array<double>(u.begin() + c * n, u.begin() + (c + 1) * n); };
  Array<double>     tested(n, 0.);
  for (int c = 0; c < dim; ++c)
    {
      const auto    u_c = component(c), viscous = product(*flow.stiffness, u_c);
      Array<double> a(n, 0.);
      for (int d = 0; d < dim; ++d)
        {
          auto u_d_u_c = component(d);
          for (std::size_t i = 0; i < n; ++i)
            u_d_u_c[i] *= u_c[i];
          const auto convection = product(*flow.gradient[d], u_d_u_c);
          for (std::size_t i = 0; i < n; ++i)
            a[i] -= convection[i];
        }
      for (std::size_t i = 0; i < n; ++i)
        a[i] = flow.velocity().is_free(i) ?
                 (a[i] - (inverse_mass[i] != 0. ? viscosity * viscous[i] : 0.)) / flow.velocity_mass[i] + f[c * n + i] :
                 0.;
      const auto part = transposed_product(*flow.gradient[c], a);
      for (std::size_t i = 0; i < n; ++i)
        tested[i] += part[i];
    }
  return transposed_product(*flow.interpolation, tested);
}

/// Returns the lumped L² norm of the difference of nodal values of any number of components. `up_to_constant` is for
/// pressures.
template <int dim>
double lumped_l2_error(const FlowMatrices<dim> &flow, const Array<double> &values, const Array<double> &exact,
                       bool up_to_constant)
{
  const std::size_t  n      = flow.velocity().n_owned();
  const Communicator ranks  = flow.velocity().communicator();
  double             mean[] = {0., 0.}, sum = 0; // the integral and the volume
  for (std::size_t i = 0; up_to_constant && i < n; ++i)
    {
      mean[0] += flow.velocity_mass[i] * (values[i] - exact[i]);
      mean[1] += flow.velocity_mass[i];
    }
  ranks.sum(mean, 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    {
      const double difference = values[i] - exact[i] - (up_to_constant ? mean[0] / mean[1] : 0.);
      sum += flow.velocity_mass[i % n] * difference * difference;
    }
  ranks.sum(&sum, 1);
  return std::sqrt(sum);
}

/// Returns the largest |g_k / m_k| of a divergence g.
template <int dim>
double largest_divergence(const FlowMatrices<dim> &flow, const Array<double> &g)
{
  double largest = 0;
  for (std::size_t k = 0; k < flow.pressure_mass.size(); ++k)
    if (const double m = flow.pressure_mass[k]; m > 0.)
      largest = std::max(largest, std::abs(g[k] / m));
  flow.velocity().communicator().max(&largest, 1);
  return largest;
}

/// The force on a boundary: the residual of the momentum equation at its nodes. The test function is v = Σ φ_i over
/// these nodes, where φ_i includes the hanging nodes that depend on a free node.
///   F_c = (a_c, v) - (ν (∇u_c, ∇v) + Σ_d (∂_d(u_d u_c), v) - (p, ∂_c v)),   a = f - ∂_t u.
/// It converges faster than integrals of stresses along the boundary (John & Matthies 2001).
template <int dim>
class BoundaryForce
{
public:
  BoundaryForce(const FlowMatrices<dim> &flow, dealii::types::boundary_id id)
    : ranks(flow.velocity().communicator())
    , n(flow.velocity().n_owned())
  {
    Array<double> at_nodes(n, 0.);
    for (const int i : nodes_on_boundary(flow.velocity(), id))
      at_nodes[i] = 1.;
    const auto                     on_boundary = product(flow.velocity().owned_H(), at_nodes); // and what hangs on it
    const auto                     stiffness   = transposed_product(*flow.stiffness, on_boundary);
    std::array<Array<double>, dim> row_sums, column_sums;
    for (unsigned int d = 0; d < dim; ++d)
      {
        row_sums[d]    = transposed_product(*flow.gradient[d], on_boundary);
        column_sums[d] = product(*flow.gradient[d], on_boundary);
      }
    for (std::size_t j = 0; j < n; ++j)
      {
        Weights at_node{static_cast<int>(j), stiffness[j], on_boundary[j] * flow.velocity_mass[j], {}, {}};
        bool    any = stiffness[j] != 0. || at_node.mass != 0.;
        for (unsigned int d = 0; d < dim; ++d)
          {
            at_node.row[d]    = row_sums[d][j];
            at_node.column[d] = column_sums[d][j];
            any               = any || row_sums[d][j] != 0. || column_sums[d][j] != 0.;
          }
        if (any)
          weights.push_back(at_node);
      }
  }

  /// `a` is read at the boundary's nodes; an empty `a` is zero.
  std::vector<double> operator()(const Array<double> &u, const Array<double> &p, const Array<double> &a,
                                 double viscosity) const
  {
    std::vector<double> force(dim, 0.);
    for (const auto &at_node : weights)
      {
        double w = viscosity * at_node.stiffness;
        for (unsigned int d = 0; d < dim; ++d)
          w += at_node.row[d] * u[d * n + at_node.node];
        for (unsigned int c = 0; c < dim; ++c)
          force[c] += at_node.column[c] * p[at_node.node] - w * u[c * n + at_node.node] +
                      (a.empty() ? 0. : at_node.mass * a[c * n + at_node.node]);
      }
    ranks.sum(force.data(), dim);
    return force;
  }

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
