#include "flow/flow_functionals.h"

#include "fem/forms/integrals.h"
#include "flow/boundary_values.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/tensor.h>

#include <algorithm>
#include <cmath>

namespace adamant
{
// The columns of A_d sum up to ∫ φ_i n_d over the boundary. What hanging nodes take from a node counts as its own.
template <int dim>
BoundaryFlux boundary_flux(const FlowMatrices<dim> &flow, const std::vector<int> &nodes, const Array<double> &values)
{
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

template <int dim>
double kinetic_energy(const FlowMatrices<dim> &flow, const Array<double> &u)
{
  const std::size_t n      = flow.velocity().n_owned();
  double            energy = 0;
  for (std::size_t i = 0; i < n; ++i)
    {
      double square = 0;
      for (unsigned int c = 0; c < dim; ++c)
        square += u[c * n + i] * u[c * n + i];
      energy += 0.5 * flow.velocity_mass[i] * square;
    }
  flow.velocity().communicator().sum(&energy, 1);
  return energy;
}

template <int dim>
double mean_pressure(const FlowMatrices<dim> &flow, const Array<double> &pressure)
{
  double integral = 0.;
  for (std::size_t k = 0; k < flow.pressure_mass.size(); ++k)
    integral += flow.pressure_mass[k] * pressure[k];
  flow.velocity().communicator().sum(&integral, 1);
  return integral / flow.pressure_volume;
}

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

template <int dim>
BoundaryForce<dim>::BoundaryForce(const FlowMatrices<dim> &flow, dealii::types::boundary_id id)
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

template <int dim>
std::vector<double> BoundaryForce<dim>::operator()(const Array<double> &u, const Array<double> &p,
                                                   const Array<double> &a, double viscosity) const
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

template <int dim>
BoundaryFlux flux_of(const dealii::Function<dim> &function, const LevelSpace<dim> &space,
                     const dealii::Mapping<dim> &mapping, dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 8, [&](int, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    dealii::Tensor<1, dim> u;
    for (int c = 0; c < dim; ++c)
      u[c] = function.value(at.quadrature_point(q), c);
    flux.net += u * at.normal_vector(q) * at.JxW(q);
    flux.scale += u.norm() * at.JxW(q);
  });
  return flux;
}

template <int dim>
BoundaryFlux flux_of(const Array<double> &nodal, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                     dealii::types::boundary_id id)
{
  BoundaryFlux flux{0., 0.};
  for_each_boundary_point(space, mapping, id, 2, [&](int cell, const dealii::FEFaceValues<dim> &at, unsigned int q) {
    for (const unsigned int i : at.dof_indices())
      if (const unsigned int c = at.get_fe().system_to_component_index(i).first; c < dim)
        {
          const double part = nodal[space.cell_dofs(cell)[i]] * at.shape_value(i, q) * at.JxW(q);
          flux.net += part * at.normal_vector(q)[c];
          flux.scale += std::abs(part);
        }
  });
  return flux;
}

template <int dim>
FlowIntegrals flow_integrals(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                             const Array<double> &nodal)
{
  const auto [energy, pressure, volume] =
    integrate<3>(space, mapping, dealii::QGauss<dim>(2), dealii::update_values | dealii::update_JxW_values,
                 [&](int cell, const dealii::FEValues<dim> &at, double *sums) {
                   for (const unsigned int q : at.quadrature_point_indices())
                     {
                       const auto value = value_at(space, nodal, cell, at, q);
                       for (int c = 0; c < dim; ++c)
                         sums[0] += 0.5 * value[c] * value[c] * at.JxW(q);
                       sums[1] += value[dim] * at.JxW(q);
                       sums[2] += at.JxW(q);
                     }
                 });
  return {energy, pressure, volume};
}

template <int dim>
double largest_cell_speed(const LevelSpace<dim> &space, const Array<double> &nodal)
{
  const auto &fe      = space.element();
  double      largest = 0.;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      double edge = 0.;
      for (const unsigned int line : space.active_cells()[cell]->line_indices())
        edge = std::max(edge, space.active_cells()[cell]->line(line)->diameter());
      for (unsigned int a = 0; a < dealii::GeometryInfo<dim>::vertices_per_cell; ++a)
        {
          double square = 0.;
          for (int c = 0; c < dim; ++c)
            square += std::pow(nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]], 2);
          largest = std::max(largest, edge * std::sqrt(square));
        }
    }
  return largest;
}

template <int dim>
Array<double> component_of(const LevelSpace<dim> &space, const LevelSpace<dim> &scalar, const double *nodal, int c)
{
  const auto   &fe = space.element();
  Array<double> values(scalar.n_dofs());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int a = 0; a < scalar.dofs_per_cell(); ++a)
      values[scalar.cell_dofs(cell)[a]] = nodal[space.cell_dofs(cell)[fe.component_to_system_index(c, a)]];
  return values;
}

#define INSTANTIATE(dim)                                                                                                 \
  template BoundaryFlux  boundary_flux(const FlowMatrices<dim> &, const std::vector<int> &, const Array<double> &);      \
  template Array<double> tested_acceleration(const FlowMatrices<dim> &, double, const Array<double> &,                   \
                                             const Array<double> &, const Array<double> &);                              \
  template double        lumped_l2_error(const FlowMatrices<dim> &, const Array<double> &, const Array<double> &, bool); \
  template double        kinetic_energy(const FlowMatrices<dim> &, const Array<double> &);                               \
  template double        mean_pressure(const FlowMatrices<dim> &, const Array<double> &);                                \
  template double        largest_divergence(const FlowMatrices<dim> &, const Array<double> &);                           \
  template BoundaryFlux  flux_of(const dealii::Function<dim> &, const LevelSpace<dim> &, const dealii::Mapping<dim> &,   \
                                 dealii::types::boundary_id);                                                            \
  template BoundaryFlux  flux_of(const Array<double> &, const LevelSpace<dim> &, const dealii::Mapping<dim> &,           \
                                 dealii::types::boundary_id);                                                            \
  template FlowIntegrals flow_integrals(const LevelSpace<dim> &, const dealii::Mapping<dim> &, const Array<double> &);   \
  template double        largest_cell_speed(const LevelSpace<dim> &, const Array<double> &);                             \
  template Array<double> component_of(const LevelSpace<dim> &, const LevelSpace<dim> &, const double *, int);            \
  template class BoundaryForce<dim>;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
