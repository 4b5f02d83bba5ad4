#pragma once

#include "parameters.h"

#include "application/output.h"
#include "base/run_record.h"
#include "discretization/forms/flow_matrices.h"
#include "discretization/meshes/mesh.h"
#include "discretization/fields/points.h"

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// What is computed from a flow on the host: statistics, forces, profiles, files. Velocities by components, pressures as nodal values
/// on the velocity mesh. Of several ranks each has the values of its own nodes and gets the same results; all call it together.
namespace navier_stokes
{
using adamant::Array;

struct FlowState
{
  double                                      kinetic_energy = 0, max_divergence = 0, mean_pressure = 0, cfl = 0;
  std::map<unsigned int, std::vector<double>> force; // on boundaries
  std::vector<double>                         pressure_at_points;

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    archive &kinetic_energy &max_divergence &mean_pressure &cfl &force &pressure_at_points;
  }
};

/// The owned nodes on a boundary, ascending.
template <int dim>
std::vector<int> nodes_on_boundary(const adamant::LevelSpace<dim> &space, types::boundary_id id)
{
  const auto      &numbers = space.partition();
  std::vector<int> nodes;
  for (const auto i : DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {id}))
    if (numbers.in_local_range(i))
      nodes.push_back(static_cast<int>(numbers.global_to_local(i)));
  return nodes;
}

template <int dim>
class FlowResults
{
public:
  FlowResults(const adamant::FlowMatrices<dim> &flow, const Mapping<dim> &mapping, const OutputParameters &output)
    : flow(flow)
    , output(output)
    , ranks(flow.velocity->communicator())
    , n(flow.velocity->n_owned())
    , shortest_edge_at_node(shortest_edges(*flow.velocity))
  {
    for (const auto id : output.force_boundaries)
      force_weights[id] = weights_of_force(id);
    for (const auto &line : output.profiles)
      {
        std::vector<Point<dim>> sampled;
        for (unsigned int k = 0; k < output.profile_points; ++k)
          {
            const double s = k / (output.profile_points - 1.);
            Point<dim>   point;
            for (unsigned int d = 0; d < dim; ++d)
              point[d] = (1. - s) * line[d] + s * line[dim + d];
            sampled.push_back(point);
          }
        profile_points.push_back(sampled);
        profiles.push_back(adamant::evaluation_matrix(*flow.velocity, mapping, sampled, 1));
      }
    std::vector<Point<dim>> at;
    for (const auto &point : output.points)
      std::copy_n(point.begin(), dim, &at.emplace_back()[0]);
    if (!at.empty())
      evaluation_at_points = adamant::evaluation_matrix(*flow.velocity, mapping, at, 1);
  }

  double shortest_edge() const
  {
    double largest_negative = -std::numeric_limits<double>::infinity();
    for (const double edge : shortest_edge_at_node)
      largest_negative = std::max(largest_negative, -edge);
    ranks.max(&largest_negative, 1);
    return -largest_negative;
  }

  FlowState evaluate(const Array<double> &u, const Array<double> &pressure, const Array<double> &nodal_pressure,
                     const Array<double> &divergence, double dt, double viscosity) const
  {
    double kinetic_energy = 0, integral = 0, volume = 0, cfl = 0, max_divergence = 0;
    for (int i = 0; i < n; ++i)
      {
        double square = 0;
        for (unsigned int c = 0; c < dim; ++c)
          square += u[std::size_t(c) * n + i] * u[std::size_t(c) * n + i];
        kinetic_energy += 0.5 * flow.velocity_mass[i] * square;
        cfl = std::max(cfl, dt * std::sqrt(square) / shortest_edge_at_node[i]);
      }
    for (std::size_t k = 0; k < flow.pressure_mass.size(); ++k)
      if (const double m = flow.pressure_mass[k]; m > 0.)
        {
          max_divergence = std::max(max_divergence, std::abs(divergence[k] / m));
          integral += m * nodal_pressure[k];
          volume += m;
        }
    double sums[] = {kinetic_energy, integral, volume}, largest[] = {cfl, max_divergence};
    ranks.sum(sums, 3);
    ranks.max(largest, 2);
    FlowState state{sums[0], largest[1], sums[1] / sums[2], largest[0], {}, values_at(evaluation_at_points, pressure)};
    for (const auto &[id, weights] : force_weights)
      state.force[id] = force(weights, u, pressure, viscosity);
    return state;
  }

  /// The lumped L² norm of the difference of nodal values, of as many components as they have; `up_to_constant` for pressures.
  double l2_error(const Array<double> &values, const Array<double> &exact, bool up_to_constant) const
  {
    double mean[] = {0., 0.}, sum = 0; // the integral and the volume
    for (int i = 0; up_to_constant && i < n; ++i)
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

  /// The velocity at the points; profile_<k>.csv, and the extremes of every component in the record.
  void write_profiles(const Array<double> &u, const Array<double> &pressure, const std::string &folder,
                      adamant::RunRecord &record) const
  {
    const auto component = [&](unsigned int c) {
      return Array<double>(u.begin() + std::size_t(c) * n, u.begin() + std::size_t(c + 1) * n);
    };
    for (unsigned int c = 0; c < dim && evaluation_at_points.n_rows > 0; ++c)
      record["velocity_at_points"][std::string(1, "xyz"[c])] = values_at(evaluation_at_points, component(c));
    for (std::size_t k = 0; k < profiles.size(); ++k)
      {
        std::vector<std::vector<double>> values;
        for (unsigned int c = 0; c < dim; ++c)
          values.push_back(values_at(profiles[k], component(c)));
        values.push_back(values_at(profiles[k], pressure));
        std::ostringstream text;
        text << std::setprecision(12) << (dim == 2 ? "x,y,u_x,u_y,p\n" : "x,y,z,u_x,u_y,u_z,p\n");
        for (std::size_t i = 0; i < profile_points[k].size(); ++i)
          {
            for (unsigned int d = 0; d < dim; ++d)
              text << profile_points[k][i][d] << ',';
            for (unsigned int c = 0; c <= dim; ++c)
              text << values[c][i] << (c < dim ? "," : "\n");
          }
        if (ranks.rank() == 0)
          adamant::write_file(folder + "/profile_" + std::to_string(k) + ".csv", text.str());
        auto &entry = record["profiles"][k];
        for (unsigned int c = 0; c < dim; ++c)
          {
            const auto [low, high] = std::minmax_element(values[c].begin(), values[c].end());
            const auto at          = [&](auto position) {
              const auto &point = profile_points[k][position - values[c].begin()];
              return std::vector<double>(&point[0], &point[0] + dim);
            };
            entry[std::string("u_") + "xyz"[c]] = {
              {"min", *low}, {"min_at", at(low)}, {"max", *high}, {"max_at", at(high)}};
          }
      }
  }

private:
  // Of each owned node the shortest edge of the cells around it.
  static Array<double> shortest_edges(const adamant::LevelSpace<dim> &space)
  {
    Array<double>                        at_node(space.n_owned(), std::numeric_limits<double>::infinity());
    std::vector<types::global_dof_index> nodes(space.dofs_per_cell());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      {
        if (cell->is_artificial())
          continue;
        double shortest = std::numeric_limits<double>::infinity();
        for (const unsigned int line : cell->line_indices())
          shortest = std::min(shortest, cell->vertex(GeometryInfo<dim>::line_to_cell_vertices(line, 0))
                                          .distance(cell->vertex(GeometryInfo<dim>::line_to_cell_vertices(line, 1))));
        cell->get_dof_indices(nodes);
        for (const auto node : nodes)
          if (space.partition().in_local_range(node))
            {
              double &shortest_at_node = at_node[space.partition().global_to_local(node)];
              shortest_at_node         = std::min(shortest_at_node, shortest);
            }
      }
    return at_node;
  }

  // One rank knows the value at a point, the others have zero.
  std::vector<double> values_at(const adamant::CSRMatrix<double> &evaluation, const Array<double> &nodal) const
  {
    const auto          own = adamant::product(evaluation, nodal);
    std::vector<double> values(own.begin(), own.end());
    ranks.sum(values.data(), static_cast<int>(values.size()));
    return values;
  }

  /// Sums of matrix rows and columns over the nodes of a boundary, where not zero.
  struct ForceWeights
  {
    std::vector<int>                   nodes;
    std::vector<double>                stiffness;
    std::vector<std::array<double, 3>> rows, columns; // of A_d
  };

  // The force is what the momentum equation lacks at the boundary's nodes: with v = Σ φ_i over these,
  //   F_c = -(nu (∇u_c, ∇v) + Σ_d (∂_d(u_d u_c), v) - (p, ∂_c v)).
  // It converges faster than integrals of stresses along the boundary (John & Matthies 2001).
  ForceWeights weights_of_force(unsigned int id) const
  {
    Array<double> on_boundary(n, 0.);
    for (const int i : nodes_on_boundary(*flow.velocity, id))
      on_boundary[i] = 1.;
    const auto                     stiffness = adamant::transposed_product(flow.stiffness, on_boundary);
    std::array<Array<double>, dim> row_sums, column_sums;
    for (unsigned int d = 0; d < dim; ++d)
      {
        row_sums[d]    = adamant::transposed_product(flow.gradient[d], on_boundary);
        column_sums[d] = adamant::product(flow.gradient[d], on_boundary);
      }
    ForceWeights weights;
    for (int j = 0; j < n; ++j)
      {
        std::array<double, 3> row{}, column{};
        bool                  any = stiffness[j] != 0.;
        for (unsigned int d = 0; d < dim; ++d)
          {
            row[d]    = row_sums[d][j];
            column[d] = column_sums[d][j];
            any       = any || row[d] != 0. || column[d] != 0.;
          }
        if (!any)
          continue;
        weights.nodes.push_back(j);
        weights.stiffness.push_back(stiffness[j]);
        weights.rows.push_back(row);
        weights.columns.push_back(column);
      }
    return weights;
  }

  std::vector<double> force(const ForceWeights &weights, const Array<double> &u, const Array<double> &pressure,
                            double viscosity) const
  {
    std::vector<double> F(dim, 0.);
    for (std::size_t k = 0; k < weights.nodes.size(); ++k)
      {
        const int j = weights.nodes[k];
        for (unsigned int c = 0; c < dim; ++c)
          {
            double w = viscosity * weights.stiffness[k];
            for (unsigned int d = 0; d < dim; ++d)
              w += weights.rows[k][d] * u[std::size_t(d) * n + j];
            F[c] += output.force_scale * (weights.columns[k][c] * pressure[j] - w * u[std::size_t(c) * n + j]);
          }
      }
    ranks.sum(F.data(), dim);
    return F;
  }

  const adamant::FlowMatrices<dim>       &flow;
  const OutputParameters                 &output;
  const adamant::Communicator             ranks;
  const int                               n; // owned nodes
  Array<double>                           shortest_edge_at_node;
  std::map<unsigned int, ForceWeights>    force_weights;
  std::vector<std::vector<Point<dim>>>    profile_points;
  std::vector<adamant::CSRMatrix<double>> profiles;
  adamant::CSRMatrix<double>              evaluation_at_points;
};

/// Velocity and vorticity of dim components; the vorticity is a scalar in 2D.
template <int dim>
class VorticityPostprocessor : public DataPostprocessor<dim>
{
public:
  static constexpr unsigned int n_components = dim == 2 ? 1 : 3;

  void evaluate_vector_field(const DataPostprocessorInputs::Vector<dim> &inputs,
                             std::vector<Vector<double>>                &computed) const override
  {
    for (unsigned int q = 0; q < computed.size(); ++q)
      {
        const auto &grad = inputs.solution_gradients[q];
        if constexpr (dim == 2)
          computed[q](0) = grad[1][0] - grad[0][1];
        else
          for (unsigned int c = 0; c < 3; ++c)
            computed[q](c) = grad[(c + 2) % 3][(c + 1) % 3] - grad[(c + 1) % 3][(c + 2) % 3];
      }
  }
  std::vector<std::string> get_names() const override { return std::vector<std::string>(n_components, "vorticity"); }
  std::vector<DataComponentInterpretation::DataComponentInterpretation>
  get_data_component_interpretation() const override
  {
    return std::vector<DataComponentInterpretation::DataComponentInterpretation>(
      n_components, dim == 2 ? DataComponentInterpretation::component_is_scalar :
                               DataComponentInterpretation::component_is_part_of_vector);
  }
  UpdateFlags get_needed_update_flags() const override { return update_gradients; }
};

/// One state of velocity, vorticity and pressure, from the values of the owned nodes. All ranks call it together.
template <int dim>
void write_flow(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping, const Array<double> &u,
                const Array<double> &pressure, adamant::TimeSeries &series, double time)
{
  const FESystem<dim> fe(FE_Q<dim>(1), dim);
  DoFHandler<dim>     dofs(space.dof_handler().get_triangulation());
  dofs.distribute_dofs(fe);
  auto                                 velocity = adamant::nodal_vector(dofs);
  std::vector<Array<double>>           components;
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  for (unsigned int d = 0; d < dim; ++d)
    components.push_back(space.local_values(u.data() + std::size_t(d) * space.n_owned()));
  for (const auto &scalar_cell : space.active_cells())
    {
      const int                                           *nodes = space.cell_dofs(space.cell_number(scalar_cell));
      const typename DoFHandler<dim>::active_cell_iterator cell(&dofs.get_triangulation(), scalar_cell->level(),
                                                                scalar_cell->index(), &dofs);
      cell->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          const auto [component, node] = fe.system_to_component_index(i);
          if (velocity.in_local_range(indices[i]))
            velocity(indices[i]) = components[component][nodes[node]];
        }
    }
  velocity.update_ghost_values();
  const auto                        scalar = adamant::nodal_vector(space, pressure.data());
  const VorticityPostprocessor<dim> vorticity;
  DataOut<dim>                      data;
  data.add_data_vector(dofs, velocity, std::vector<std::string>(dim, "velocity"),
                       std::vector<DataComponentInterpretation::DataComponentInterpretation>(
                         dim, DataComponentInterpretation::component_is_part_of_vector));
  data.add_data_vector(dofs, velocity, vorticity);
  data.add_data_vector(space.dof_handler(), scalar, "pressure");
  data.build_patches(mapping, 1);
  series.write(data, time);
}
} // namespace navier_stokes
