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

/// Returns (a, ∇ψ_k) with the acceleration a = f - div(u ⊗ u) + ν Δu; the viscous term is left out at nodes where
/// `inverse_mass` is 0. This is equation (16) of Liebchen et al. for the initial pressure.
template <int dim>
Array<double> tested_acceleration(const FlowMatrices<dim> &flow, const Array<double> &u, const Array<double> &f,
                                  const Array<double> &inverse_mass)
{
  const std::size_t n         = flow.velocity().n_owned();
  const auto        component = [&](int c) { return Array<double>(u.begin() + c * n, u.begin() + (c + 1) * n); };
  Array<double>     tested(n, 0.);
  for (int c = 0; c < dim; ++c)
    {
      const auto    u_c = component(c), viscous = flow.viscous.template component<dim>(c, u);
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
                 (a[i] - (inverse_mass[i] != 0. ? flow.viscous.factor() * viscous[i] : 0.)) / flow.velocity_mass[i] +
                   f[c * n + i] :
                 0.;
      const auto part = transposed_product(*flow.gradient[c], a);
      for (std::size_t i = 0; i < n; ++i)
        tested[i] += part[i];
    }
  return transposed_product(*flow.interpolation, tested);
}
extern template decltype(tested_acceleration<2>) tested_acceleration<2>; // in flow_results.cc
extern template decltype(tested_acceleration<3>) tested_acceleration<3>;

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
} // namespace adamant
