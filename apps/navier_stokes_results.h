#pragma once

#include "navier_stokes_parameters.h"

#include "application/output.h"
#include "base/run_record.h"
#include "discretization/flow_matrices.h"
#include "discretization/points.h"

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
/// on the velocity mesh.
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

template <int dim>
class FlowResults
{
public:
  FlowResults(const adamant::FlowMatrices<dim> &flow, const Mapping<dim> &mapping, const Array<double> &points,
              const OutputParameters &output)
    : flow(flow)
    , output(output)
    , points(points)
    , n(flow.velocity->n_dofs())
    , shortest_edge_at_node(n, std::numeric_limits<double>::infinity())
  {
    const auto &dofs = flow.velocity->dof_handler();
    int         c    = 0;
    for (const auto &cell : dofs.active_cell_iterators())
      {
        double shortest = std::numeric_limits<double>::infinity();
        for (const unsigned int line : cell->line_indices())
          shortest = std::min(shortest, cell->vertex(GeometryInfo<dim>::line_to_cell_vertices(line, 0))
                                          .distance(cell->vertex(GeometryInfo<dim>::line_to_cell_vertices(line, 1))));
        for (int i = 0; i < flow.velocity->dofs_per_cell(); ++i)
          {
            double &at_node = shortest_edge_at_node[flow.velocity->cell_dofs(c)[i]];
            at_node         = std::min(at_node, shortest);
          }
        ++c;
      }
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

  double shortest_edge() const { return *std::min_element(shortest_edge_at_node.begin(), shortest_edge_at_node.end()); }

  FlowState evaluate(const Array<double> &u, const Array<double> &pressure, const Array<double> &nodal_pressure,
                     const Array<double> &divergence, double dt, double viscosity) const
  {
    FlowState state;
    for (int i = 0; i < n; ++i)
      {
        double square = 0;
        for (unsigned int c = 0; c < dim; ++c)
          square += u[std::size_t(c) * n + i] * u[std::size_t(c) * n + i];
        state.kinetic_energy += 0.5 * flow.velocity_mass[i] * square;
        state.cfl = std::max(state.cfl, dt * std::sqrt(square) / shortest_edge_at_node[i]);
      }
    double volume = 0;
    for (std::size_t k = 0; k < flow.pressure_mass.size(); ++k)
      if (const double m = flow.pressure_mass[k]; m > 0.)
        {
          state.max_divergence = std::max(state.max_divergence, std::abs(divergence[k] / m));
          state.mean_pressure += m * nodal_pressure[k];
          volume += m;
        }
    state.mean_pressure /= volume;
    for (const auto &[id, weights] : force_weights)
      state.force[id] = force(weights, u, pressure, viscosity);
    if (evaluation_at_points.n_rows > 0)
      for (const double value : adamant::product(evaluation_at_points, pressure))
        state.pressure_at_points.push_back(value);
    return state;
  }

  /// The lumped L² norm of the difference of nodal values, of as many components as they have; `up_to_constant` for pressures.
  double l2_error(const Array<double> &values, const Array<double> &exact, bool up_to_constant) const
  {
    double shift = 0, volume = 0, sum = 0;
    for (int i = 0; up_to_constant && i < n; ++i)
      {
        shift += flow.velocity_mass[i] * (values[i] - exact[i]);
        volume += flow.velocity_mass[i];
      }
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        const double difference = values[i] - exact[i] - (up_to_constant ? shift / volume : 0.);
        sum += flow.velocity_mass[i % n] * difference * difference;
      }
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
      record["velocity_at_points"][std::string(1, "xyz"[c])] = adamant::product(evaluation_at_points, component(c));
    for (std::size_t k = 0; k < profiles.size(); ++k)
      {
        std::vector<Array<double>> values;
        for (unsigned int c = 0; c < dim; ++c)
          values.push_back(adamant::product(profiles[k], component(c)));
        values.push_back(adamant::product(profiles[k], pressure));
        std::ostringstream text;
        text << std::setprecision(12) << (dim == 2 ? "x,y,u_x,u_y,p\n" : "x,y,z,u_x,u_y,u_z,p\n");
        for (std::size_t i = 0; i < profile_points[k].size(); ++i)
          {
            for (unsigned int d = 0; d < dim; ++d)
              text << profile_points[k][i][d] << ',';
            for (unsigned int c = 0; c <= dim; ++c)
              text << values[c][i] << (c < dim ? "," : "\n");
          }
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
    Array<unsigned char> on_boundary(n, 0);
    for (const auto i : DoFTools::extract_boundary_dofs(flow.velocity->dof_handler(), ComponentMask(),
                                                        {static_cast<types::boundary_id>(id)}))
      on_boundary[i] = 1;
    Array<double>                      stiffness(n, 0.);
    std::vector<std::array<double, 3>> rows(n), columns(n);
    std::vector<int>                   touched(n, 0);
    const auto                        &K = flow.stiffness;
    for (int i = 0; i < n; ++i)
      for (int k = K.row_start[i]; k < K.row_start[i + 1]; ++k)
        {
          const int j = K.column[k];
          if (on_boundary[i])
            {
              stiffness[j] += K.value[k];
              for (unsigned int d = 0; d < dim; ++d)
                rows[j][d] += flow.gradient[d].value[k];
              touched[j] = 1;
            }
          if (on_boundary[j])
            {
              for (unsigned int d = 0; d < dim; ++d)
                columns[i][d] += flow.gradient[d].value[k];
              touched[i] = 1;
            }
        }
    ForceWeights weights;
    for (int j = 0; j < n; ++j)
      if (touched[j])
        {
          weights.nodes.push_back(j);
          weights.stiffness.push_back(stiffness[j]);
          weights.rows.push_back(rows[j]);
          weights.columns.push_back(columns[j]);
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
    return F;
  }

  const adamant::FlowMatrices<dim>       &flow;
  const OutputParameters                 &output;
  const Array<double>                    &points;
  const int                               n;
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

/// One VTU file of velocity, vorticity and pressure.
template <int dim>
void write_flow(const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping, const Array<double> &u,
                const Array<double> &pressure, adamant::TimeSeries &series, double time)
{
  const FESystem<dim> fe(FE_Q<dim>(1), dim);
  DoFHandler<dim>     dofs(space.dof_handler().get_triangulation());
  dofs.distribute_dofs(fe);
  Vector<double>                       velocity(dofs.n_dofs()), scalar(pressure.begin(), pressure.end());
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  int                                  c = 0;
  for (const auto &cell : dofs.active_cell_iterators())
    {
      cell->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          const auto [component, node] = fe.system_to_component_index(i);
          velocity(indices[i])         = u[std::size_t(component) * space.n_dofs() + space.cell_dofs(c)[node]];
        }
      ++c;
    }
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
