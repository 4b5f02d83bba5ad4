#pragma once

#include "parameters.h"

#include "application/profiles.h"
#include "application/run_folder.h"
#include "application/state.h"
#include "base/run_record.h"
#include "discretization/fields/cell_sizes.h"
#include "discretization/forms/flow_functionals.h"

#include <deal.II/base/point.h>

#include <boost/serialization/map.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What is computed from a flow on the host: statistics, forces, profiles. Velocities by components, pressures as
/// nodal values on the velocity mesh, in host memory. Of several ranks each has the values of its own nodes and gets
/// the same results; all call it together.
namespace navier_stokes
{
using adamant::Array;

template <int dim>
class FlowResults
{
public:
  FlowResults(const adamant::FlowMatrices<dim> &flow, const Mapping<dim> &mapping, const OutputParameters &output)
    : flow(flow)
    , force_scale(output.force_scale)
    , edges(adamant::shortest_edges(flow.velocity()))
    , profiles(flow.velocity(), mapping, output.profiles, output.profile_points)
  {
    for (const auto id : output.force_boundaries)
      force_on.emplace(id, adamant::BoundaryForce<dim>(flow, id));
    std::vector<Point<dim>> points;
    for (const auto &point : output.points)
      std::copy_n(point.begin(), dim, &points.emplace_back()[0]);
    at_points = {flow.velocity(), mapping, points};
  }

  double shortest_edge() const { return adamant::shortest_edge(flow.velocity(), edges); }

  /// Computes the statistics of a state: g is the divergence tested, `nodal_pressure` the pressure on its own mesh.
  void evaluate(const Array<double> &u, const Array<double> &pressure, const Array<double> &nodal_pressure,
                const Array<double> &g, double dt, double viscosity)
  {
    const auto on_pressure_mesh = adamant::pressure_mesh_statistics(flow, nodal_pressure, g);
    values["kinetic_energy"]    = adamant::kinetic_energy(flow, u);
    values["max_divergence"]    = on_pressure_mesh.max_divergence;
    values["mean_pressure"]     = on_pressure_mesh.mean_pressure;
    values["cfl"]               = dt * adamant::fastest_crossing(flow.velocity(), edges, u);
    pressure_at_points          = at_points(pressure);
    for (const auto &[id, on_boundary] : force_on)
      {
        force[id] = on_boundary(u, pressure, viscosity);
        for (double &component : force[id])
          component *= force_scale;
      }
  }

  void print(double time, bool steady) const
  {
    std::cout << "time " << time << (steady ? ", steady" : "") << ": kinetic energy " << values.at("kinetic_energy")
              << ", largest divergence " << values.at("max_divergence") << std::endl;
  }

  /// The last statistics in a row of statistics.csv, with a column for what changes in a step where that is given.
  void add_to(adamant::Statistics::Row &row, const std::optional<double> &change) const
  {
    for (const char *name : names)
      row.emplace_back(name, values.at(name));
    if (change)
      row.emplace_back("change", *change);
    for (const auto &[id, F] : force)
      for (unsigned int c = 0; c < dim; ++c)
        row.emplace_back("force" + std::to_string(id) + "_" + "xyz"[c], F[c]);
    for (std::size_t k = 0; k < pressure_at_points.size(); ++k)
      row.emplace_back("pressure_at_point" + std::to_string(k), pressure_at_points[k]);
  }

  /// Likewise in run.json, with the sizes of the problem.
  void add_to(adamant::RunRecord &record) const
  {
    record["velocity_nodes"] = flow.velocity().dof_handler().n_dofs();
    record["pressure_nodes"] = flow.pressure().dof_handler().n_dofs();
    record["hanging_nodes"]  = flow.velocity().n_hanging();
    for (const char *name : names)
      record[name] = values.at(name);
    for (const auto &[id, F] : force)
      record["forces"][std::to_string(id)] = F;
    if (!pressure_at_points.empty())
      record["pressure_at_points"] = pressure_at_points;
  }

  /// The velocity at the points; profile_<k>.csv, and the extremes of every component in the record.
  void write_profiles(const Array<double> &u, const Array<double> &pressure, const std::string &folder,
                      adamant::RunRecord &record) const
  {
    const std::size_t                                      n = pressure.size();
    std::vector<typename adamant::Profiles<dim>::Function> functions;
    for (unsigned int c = 0; c < dim; ++c)
      {
        const std::string axis(1, "xyz"[c]);
        functions.push_back({"u_" + axis, Array<double>(u.begin() + c * n, u.begin() + (c + 1) * n), true});
        if (!at_points.empty())
          record["velocity_at_points"][axis] = at_points(functions.back().nodal);
      }
    functions.push_back({"p", pressure, false});
    profiles.write(functions, folder, record);
  }

  void serialize(adamant::State &state)
  {
    state.scalar(values);
    state.scalar(force);
    state.scalar(pressure_at_points);
  }

private:
  static constexpr const char *names[] = {"kinetic_energy", "max_divergence", "mean_pressure", "cfl"};

  const adamant::FlowMatrices<dim>                   &flow;
  const double                                        force_scale;
  const Array<double>                                 edges; // the shortest around each node
  const adamant::Profiles<dim>                        profiles;
  std::map<unsigned int, adamant::BoundaryForce<dim>> force_on; // boundaries
  adamant::PointEvaluation<dim>                       at_points;

  // The last statistics.
  std::map<std::string, double>               values{{names[0], 0.}, {names[1], 0.}, {names[2], 0.}, {names[3], 0.}};
  std::map<unsigned int, std::vector<double>> force;
  std::vector<double>                         pressure_at_points;
};
} // namespace navier_stokes
