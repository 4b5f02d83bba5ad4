#include "flow/flow_results.h"

#include "evaluation/flow_quantities.h"
#include "flow/flow_functionals.h"
#include "flow/stable_step.h"
#include "meshes/mesh_input.h"

#include <deal.II/base/patterns.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/numerics/data_out.h>

#include <boost/serialization/map.hpp>

namespace adamant
{
namespace
{
// Returns the force on a boundary as a function of u, p and a: the residual of the momentum equation at its nodes.
// The test function is v = Σ φ_i over these nodes, where φ_i includes the hanging nodes that depend on a free node.
//   F_c = (a_c, v) - (ν (∇u_c, ∇v) + Σ_d (∂_d(u_d u_c), v) - (p, ∂_c v)),   a = f - ∂_t u.
// Where ν varies, ∇u_c + ∂_c u takes the place of ∇u_c. The residual converges faster than integrals of stresses along
// the boundary (John & Matthies 2001). An empty `a` is zero.
template <int dim>
auto boundary_force(const FlowMatrices<dim> &flow, dealii::types::boundary_id id)
{
  struct Weights // sums of matrix rows and columns over the boundary's nodes, where they are not zero
  {
    int                           node;
    double                        mass;
    std::array<double, dim>       row, column; // of A_d
    std::array<double, dim * dim> viscous;     // of V_cd, or of K alone
  };
  std::vector<Weights> weights;
  const std::size_t    n = flow.velocity().n_owned();
  Array<double>        at_nodes(n, 0.);
  for (const int i : nodes_on_boundary(flow.velocity(), id))
    at_nodes[i] = 1.;
  const auto                     on_boundary = product(flow.velocity().owned_H(), at_nodes); // and what hangs on it
  std::array<Array<double>, dim> row_sums, column_sums;
  std::vector<Array<double>>     viscous;
  for (const auto &matrix : flow.viscous.matrices)
    viscous.push_back(transposed_product(*matrix, on_boundary));
  for (unsigned int d = 0; d < dim; ++d)
    {
      row_sums[d]    = transposed_product(*flow.gradient[d], on_boundary);
      column_sums[d] = product(*flow.gradient[d], on_boundary);
    }
  for (std::size_t j = 0; j < n; ++j)
    {
      Weights at_node{static_cast<int>(j), on_boundary[j] * flow.velocity_mass[j], {}, {}, {}};
      bool    any = at_node.mass != 0.;
      for (std::size_t k = 0; k < viscous.size(); ++k)
        {
          at_node.viscous[k] = viscous[k][j];
          any                = any || viscous[k][j] != 0.;
        }
      for (unsigned int d = 0; d < dim; ++d)
        {
          at_node.row[d]    = row_sums[d][j];
          at_node.column[d] = column_sums[d][j];
          any               = any || row_sums[d][j] != 0. || column_sums[d][j] != 0.;
        }
      if (any)
        weights.push_back(at_node);
    }
  return [ranks = flow.velocity().communicator(), n, weights = std::move(weights), factor = flow.viscous.factor(),
          varies = flow.viscous.varies()](const Array<double> &u, const Array<double> &p, const Array<double> &a) {
    std::vector<double> force(dim, 0.);
    for (const auto &at_node : weights)
      {
        double w = factor * at_node.viscous[0];
        for (unsigned int d = 1; d < dim && varies; ++d)
          w += at_node.viscous[d * dim + d];
        for (unsigned int d = 0; d < dim; ++d)
          w += at_node.row[d] * u[d * n + at_node.node];
        for (unsigned int c = 0; c < dim; ++c)
          {
            force[c] += at_node.column[c] * p[at_node.node] - w * u[c * n + at_node.node] +
                        (a.empty() ? 0. : at_node.mass * a[c * n + at_node.node]);
            for (unsigned int d = 0; d < dim && varies; ++d)
              force[c] -= at_node.viscous[c * dim + d] * u[d * n + at_node.node];
          }
      }
    ranks.sum(force.data(), dim);
    return force;
  };
}

// ½ ∫ |u|² with lumped masses.
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

// By the mesh on which the mean is zero without open boundaries; else by that which has the prescribed pressures, too.
template <int dim>
double mean_pressure(const FlowMatrices<dim> &flow, const Array<double> &on_velocity_mesh, const Array<double> &free)
{
  const auto &pressure = flow.singular ? free : on_velocity_mesh;
  const auto &mass     = flow.singular ? flow.pressure_mass : flow.velocity_mass;
  double      sums[]   = {0., 0.}; // the integral and the volume
  for (std::size_t i = 0; i < pressure.size(); ++i)
    {
      sums[0] += mass[i] * pressure[i];
      sums[1] += mass[i];
    }
  flow.velocity().communicator().sum(sums, 2);
  return sums[0] / sums[1];
}

// Computes the vorticity, a scalar in 2D.
// Returns nodal values that are stored by components as the nodal values of a vector-valued element.
template <int dim>
NodalVector vector_valued(const LevelSpace<dim> &space, const double *by_components,
                          const dealii::DoFHandler<dim> &dofs)
{
  const auto                                  &fe     = dofs.get_fe();
  auto                                         values = nodal_vector(dofs);
  std::vector<Array<double>>                   components;
  std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
  for (unsigned int d = 0; d < dim; ++d)
    components.push_back(space.local_values(by_components + std::size_t(d) * space.n_owned()));
  for (const auto &scalar_cell : space.active_cells())
    {
      const int *nodes = space.cell_dofs(space.cell_number(scalar_cell));
      with_dofs(scalar_cell, dofs)->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          const auto [component, node] = fe.system_to_component_index(i);
          if (values.in_local_range(indices[i]))
            values(indices[i]) = components[component][nodes[node]];
        }
    }
  values.update_ghost_values();
  return values;
}
// Components of the velocity, the pressure and a temperature, each of which has its own values.
template <int dim>
std::vector<EvaluatedField<dim>> fields_of(const LevelSpace<dim> &space, bool has_temperature)
{
  std::vector<EvaluatedField<dim>> fields;
  for (int c = 0; c < dim; ++c)
    fields.push_back({&space, {std::string("u_") + "xyz"[c]}, {"max_divergence"}});
  fields.push_back({&space, {"p"}});
  if (has_temperature)
    fields.push_back({&space, {"T"}, {"mean_T"}});
  return fields;
}
} // namespace

template <int dim>
FlowResults<dim>::FlowResults(const FlowMatrices<dim> &flow, const dealii::Mapping<dim> &mapping,
                              const FlowOutputParameters &options, const Coefficient &viscosity, bool has_temperature)
  : derived(options, flow_quantities<dim>(viscosity))
  , flow(flow)
  , force_scale(options.force_scale)
  , has_temperature(has_temperature)
  , edges(shortest_edges(flow.velocity()))
  , evaluation(options, mapping, fields_of(flow.velocity(), has_temperature), flow_quantities<dim>(viscosity),
               {{"force", [this](unsigned int id) { return force.at(id); }}})
  , recorded_forces(options.force_boundaries)
  , at_points("Output/Points", flow.velocity(), mapping, points_of<dim>(options.points))
{
  check_boundaries("Output/Statistics", options.boundaries_with_force(), flow.velocity().triangulation());
  for (const auto id : options.boundaries_with_force())
    force_on.emplace(id, boundary_force(flow, id));
}

template <int dim>
void FlowResults<dim>::evaluate(const Array<double> &u, const Array<double> &pressure,
                                const Array<double> &free_pressure, const Array<double> &g, const Array<double> &a,
                                double dt, const Array<double> &T)
{
  values["kinetic_energy"] = kinetic_energy(flow, u);
  values["max_divergence"] = largest_divergence(flow, g);
  values["mean_pressure"]  = mean_pressure(flow, pressure, free_pressure);
  values["cfl"]            = dt * fastest_crossing(flow.velocity(), edges, u);
  pressure_at_points       = at_points(pressure);
  for (const auto &[id, on_boundary] : force_on)
    {
      force[id] = on_boundary(u, pressure, a);
      for (double &component : force[id])
        component *= force_scale;
    }
  statistics.clear();
  evaluation.add_statistics(statistics, values_of(u, pressure, T));
}

template <int dim>
void FlowResults<dim>::add_to(Statistics::Row &row, const std::optional<double> &change) const
{
  for (const char *name : names)
    row.emplace_back(name, values.at(name));
  if (change)
    row.emplace_back("change", *change);
  for (const auto id : recorded_forces)
    for (unsigned int c = 0; c < dim; ++c)
      row.emplace_back("force" + std::to_string(id) + "_" + "xyz"[c], force.at(id)[c]);
  for (std::size_t k = 0; k < pressure_at_points.size(); ++k)
    row.emplace_back("pressure_at_point" + std::to_string(k), pressure_at_points[k]);
  row.insert(row.end(), statistics.begin(), statistics.end());
}

template <int dim>
void FlowResults<dim>::add_to(RunRecord &record) const
{
  record["velocity_nodes"] = flow.velocity().n_global_dofs();
  record["pressure_nodes"] = flow.pressure().n_global_dofs();
  record["hanging_nodes"]  = flow.velocity().n_hanging();
  record["viscosity"]      = record_of_viscosity(flow.viscous.least, flow.viscous.most);
  for (const char *name : names)
    record[name] = values.at(name);
  for (const char *of : {"wanted", "interpolated", "projected"})
    if (const auto found = values.find(std::string("remesh_divergence_") + of); found != values.end())
      record["remesh_divergence"][of] = found->second;
  for (const auto id : recorded_forces)
    record["forces"][std::to_string(id)] = force.at(id);
  if (!pressure_at_points.empty())
    record["pressure_at_points"] = pressure_at_points;
}

template <int dim>
void FlowResults<dim>::write_profiles(const Array<double> &u, const Array<double> &pressure, const std::string &folder,
                                      RunRecord &record, const Array<double> &T) const
{
  const std::size_t n = pressure.size();
  for (unsigned int c = 0; c < dim && !at_points.empty(); ++c)
    record["velocity_at_points"][std::string(1, "xyz"[c])] =
      at_points(Array<double>(u.begin() + c * n, u.begin() + (c + 1) * n));
  const auto values = values_of(u, pressure, T);
  evaluation.write_samples(record, values, folder);
  evaluation.add_statistics(record, values);
}

template <int dim>
void FlowResults<dim>::serialize(State &state)
{
  state.scalar(values);
  state.scalar(force);
  state.scalar(pressure_at_points);
}

template <int dim>
void write_flow(const LevelSpace<dim> &space, const dealii::MappingQ<dim> &mapping, const DerivedFields<dim> &derived,
                const std::vector<const double *> &values, TimeSeries &series, double time)
{
  dealii::DoFHandler<dim> dofs(space.triangulation());
  dofs.distribute_dofs(dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim));
  const auto           vectors = vector_valued(space, values[0], dofs);
  const auto           scalars = nodal_vector(space, values[1]);
  dealii::DataOut<dim> data;
  data.add_data_vector(dofs, vectors, std::vector<std::string>(dim, "velocity"),
                       std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>(
                         dim, dealii::DataComponentInterpretation::component_is_part_of_vector));
  if (!derived.empty())
    data.add_data_vector(dofs, vectors, derived);
  data.add_data_vector(space.dof_handler(), scalars, "pressure");
  const auto temperatures = values.size() > 2 ? nodal_vector(space, values[2]) : NodalVector();
  if (values.size() > 2)
    data.add_data_vector(space.dof_handler(), temperatures, "temperature");
  data.build_patches(mapping, 1);
  series.write(data, time);
}

FlowProblemParameters::FlowProblemParameters(const MeshParameters &mesh, const Words &words,
                                             const std::string &constant)
  : FlowBoundaries(mesh, words)
{
  using namespace dealii::Patterns;
  parse_parameters_call_back.connect([this, &mesh] {
    viscosity  = {"Problem/Viscosity", viscosity_text, mesh.materials("Problem/Viscosity")};
    body_force = {"Problem/Body force", force_text, mesh.materials("Problem/Body force"),
                  Coefficient::Components::vector};
  });
  add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
  add_parameter(
    "Viscosity", viscosity_text,
    "Kinematic, nu (1 / Re where the velocity and the length are 1): a number, an expression of x, y, z, or "
    "a list by material: 'id: ..., id: ..., elsewhere'. Where it varies, its term is div(nu (grad u + grad "
    "u^T))");
  add_parameter("Body force", force_text,
                "f: expressions of " + words.variables + " separated by semicolons, or a list by material");
  add_parameter("Exact velocity", exact_velocity,
                "Where it is known: expressions of " + words.variables + "; errors go to run.json");
  add_parameter("Exact pressure", exact_pressure,
                "Where it is known: an expression of " + words.variables + ", " + constant);
}

FlowOutputParameters::FlowOutputParameters(const MeshFileParameters &mesh_file, const std::string &sampled,
                                           const std::string &recorded, const std::vector<std::string> &fields,
                                           const std::string &scalars)
  : EvaluationParameters(
      mesh_file,
      "u_x, u_y, u_z (u: each of them), " + scalars +
        ", speed, kinetic_energy, vorticity, strain_rate, "
        "divergence or viscosity. On boundaries it is volume_flux, force (from the residual, times Force scale) or "
        "wall_shear (2D), whose zeros are separation and reattachment",
      recorded, sampled, {"vorticity", "strain_rate", "speed", "divergence", "viscosity"}, fields)
{
  parse_parameters_call_back.connect(
    [this, &mesh_file] { force_boundaries = mesh_file.boundary_ids("Output/Force boundaries", force_names); });
  add_parameter("Force boundaries", force_names, "Ids on which the fluid's force is computed");
  add_parameter("Force scale", force_scale, "Forces are multiplied by this, as for drag and lift coefficients");
}

template class FlowResults<2>;
template class FlowResults<3>;
template decltype(write_flow<2>)          write_flow<2>;
template decltype(write_flow<3>)          write_flow<3>;
template decltype(tested_acceleration<2>) tested_acceleration<2>;
template decltype(tested_acceleration<3>) tested_acceleration<3>;
} // namespace adamant
