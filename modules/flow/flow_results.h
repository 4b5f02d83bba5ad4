#pragma once

#include "base/run_record.h"
#include "flow/divergence_projection.h"
#include "flow/flow_functionals.h"
#include "flow/flow_output.h"
#include "flow/stable_step.h"
#include "frame/output/profiles.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <boost/serialization/map.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Boundaries where forces act, and lines and points of interest, with dim coordinates or more.
struct FlowResultsOptions
{
  double                           force_scale = 1.;
  std::set<unsigned int>           force_boundaries;
  std::vector<std::vector<double>> profiles, points; ///< a profile has two points
  unsigned int                     profile_points = 101;
};

/// Results that are computed from a flow on the host: statistics, forces, profiles. Velocities are stored by
/// components, pressures as nodal values on the velocity mesh, in host memory. Each of several ranks passes the values
/// of its own nodes and gets the result of all; they call all functions together.
template <int dim>
class FlowResults
{
public:
  FlowResults(const FlowMatrices<dim> &flow, const dealii::Mapping<dim> &mapping, const FlowResultsOptions &options)
    : flow(flow)
    , force_scale(options.force_scale)
    , edges(shortest_edges(flow.velocity()))
    , profiles(flow.velocity(), mapping, options.profiles, options.profile_points)
    , at_points("Output/Points", flow.velocity(), mapping, points_of<dim>(options.points))
  {
    for (const auto id : options.force_boundaries)
      force_on.emplace(id, BoundaryForce<dim>(flow, id));
  }

  /// Computes the statistics of a state. g is the divergence against test functions, `nodal_pressure` the pressure on
  /// its own mesh, `a` is f - ∂_t u for BoundaryForce.
  void evaluate(const Array<double> &u, const Array<double> &pressure, const Array<double> &nodal_pressure,
                const Array<double> &g, const Array<double> &a, double dt, double viscosity)
  {
    values["kinetic_energy"] = kinetic_energy(u);
    values["max_divergence"] = largest_divergence(flow, g);
    values["mean_pressure"]  = mean_pressure(nodal_pressure);
    values["cfl"]            = dt * fastest_crossing(flow.velocity(), edges, u);
    pressure_at_points       = at_points(pressure);
    for (const auto &[id, on_boundary] : force_on)
      {
        force[id] = on_boundary(u, pressure, a, viscosity);
        for (double &component : force[id])
          component *= force_scale;
      }
  }

  /// Records a projection on a new mesh; the largest values of all changes are kept.
  void count_change(const ProjectedDivergence &change)
  {
    const auto keep = [this](const std::string &of, double divergence) {
      auto &largest = values["remesh_divergence_" + of];
      largest       = std::max(largest, divergence);
    };
    keep("wanted", change.wanted);
    keep("interpolated", change.interpolated);
    keep("projected", change.projected);
  }

  void print(double time, bool steady) const
  {
    std::cout << "time " << time << (steady ? ", steady" : "") << ": kinetic energy " << values.at("kinetic_energy")
              << ", largest divergence " << values.at("max_divergence") << std::endl;
  }

  /// Adds the last statistics to a row of statistics.csv, with a column for the change in a step where it is given.
  void add_to(Statistics::Row &row, const std::optional<double> &change) const
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

  /// Adds the last statistics to run.json, with the sizes of the problem.
  void add_to(RunRecord &record) const
  {
    record["velocity_nodes"] = flow.velocity().n_global_dofs();
    record["pressure_nodes"] = flow.pressure().n_global_dofs();
    record["hanging_nodes"]  = flow.velocity().n_hanging();
    for (const char *name : names)
      record[name] = values.at(name);
    for (const char *of : {"wanted", "interpolated", "projected"})
      if (const auto found = values.find(std::string("remesh_divergence_") + of); found != values.end())
        record["remesh_divergence"][of] = found->second;
    for (const auto &[id, F] : force)
      record["forces"][std::to_string(id)] = F;
    if (!pressure_at_points.empty())
      record["pressure_at_points"] = pressure_at_points;
  }

  /// Writes the velocity at the points and the extremes of all components into the record, and the files
  /// profile_<k>.csv.
  void write_profiles(const Array<double> &u, const Array<double> &pressure, const std::string &folder,
                      RunRecord &record) const
  {
    const std::size_t                             n = pressure.size();
    std::vector<typename Profiles<dim>::Function> functions;
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

  void serialize(State &state)
  {
    state.scalar(values);
    state.scalar(force);
    state.scalar(pressure_at_points);
  }

private:
  // ½ ∫ |u|² with lumped masses.
  double kinetic_energy(const Array<double> &u) const
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
  double mean_pressure(const Array<double> &pressure) const
  {
    double integral = 0.;
    for (std::size_t k = 0; k < flow.pressure_mass.size(); ++k)
      integral += flow.pressure_mass[k] * pressure[k];
    flow.velocity().communicator().sum(&integral, 1);
    return integral / flow.pressure_volume;
  }

  static constexpr const char *names[] = {"kinetic_energy", "max_divergence", "mean_pressure", "cfl"};

  const FlowMatrices<dim>                   &flow;
  const double                               force_scale;
  const Array<double>                        edges; // the shortest edge around each node
  const Profiles<dim>                        profiles;
  std::map<unsigned int, BoundaryForce<dim>> force_on; // by boundary id
  HostPointEvaluation                        at_points;

  // The last statistics.
  std::map<std::string, double>               values{{names[0], 0.}, {names[1], 0.}, {names[2], 0.}, {names[3], 0.}};
  std::map<unsigned int, std::vector<double>> force;
  std::vector<double>                         pressure_at_points;
};
} // namespace adamant
